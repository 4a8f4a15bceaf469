//! Handles Ctrl-C and SIGTERM, so that the run ends in order.

use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure::panics;
use crate::system::process;

/// Calls `act` at each of these signals, one call after the other.
pub(crate) fn on_each(wanted: &[libc::c_int], act: impl Fn(libc::c_int) + Send + 'static) {
    let Ok(mut signals) = Signals::new(wanted) else { return };
    thread::spawn(move || {
        panics::this_thread_is_ours();
        for signal in signals.forever() {
            act(signal);
        }
    });
}

/// Calls `end` at the first SIGINT or SIGTERM. At the second one the process leaves at once with
/// `code`.
pub(crate) fn on_interrupt(code: i32, end: impl FnOnce() + Send + 'static) {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    thread::spawn(move || {
        panics::this_thread_is_ours();
        let mut end = Some(end);
        for _ in signals.forever() {
            match end.take() {
                Some(end) => drop(thread::spawn(|| {
                    panics::this_thread_is_ours();
                    end();
                })),
                None => process::leave(code),
            }
        }
    });
}

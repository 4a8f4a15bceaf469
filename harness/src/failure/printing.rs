//! Prints panics for replays. The message of a panic must not control a terminal.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::Once;

use crate::display;

/// Installs a panic hook that escapes messages with control characters and cuts very long messages.
/// The previous hook prints all other panics.
pub(crate) fn escape_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            let message = info.payload_as_str().unwrap_or_default();
            let shown = display::text(message);
            if shown == message { previous(info) } else { print(info, &shown) }
        }));
    });
}

/// Prints a panic like the standard library does.
fn print(info: &PanicHookInfo<'_>, message: &str) {
    let thread = std::thread::current();
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    eprintln!(
        "\nthread '{}' panicked at {place}:\n{message}",
        thread.name().unwrap_or("<unnamed>")
    );
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        eprintln!("stack backtrace:\n{backtrace}");
    }
}

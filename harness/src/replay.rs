//! Replays one input as a test, without a fuzzer.

use std::panic::{resume_unwind, set_hook, take_hook};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dwindle_engine::TestCase;
use dwindle_engine::internals::{Driver, Outcome, execute};

use crate::environment;
use crate::execution::Line;
#[cfg(not(feature = "fuzzing"))]
use crate::execution::TextRoom;
use crate::failure::printing;
#[cfg(feature = "fuzzing")]
use crate::isolation::formatted::Formatter;
use crate::system::forked;

/// Runs `property` on `input`, prints its draws, and panics as it does. Long draws are cut. The
/// `repro.rs` of a bug calls this function.
///
/// As under a fuzzer, a panic counts even if the property catches it or if it happens in another
/// thread. So tests that panic on purpose belong in another file.
///
/// A target that ends the process fails, with any exit code. For this, dwindle needs the feature
/// `fuzzing`.
///
/// # Panics
/// If the property does, in any thread.
pub fn replay(property: impl FnOnce(&mut TestCase), input: &[u8]) {
    let mut tc = Driver::new();
    #[cfg(feature = "fuzzing")]
    let mut formatter = Formatter::default();
    #[cfg(not(feature = "fuzzing"))]
    let mut formatter = TextRoom::new();
    tc.listen(Some(Box::new(move |event| Line::of(event, &mut formatter).print())));
    printing::escape_messages();
    let seen = Arc::new(AtomicBool::new(false));
    let (mark, previous) = (Arc::clone(&seen), take_hook());
    set_hook(Box::new(move |info| {
        mark.store(true, Ordering::SeqCst);
        previous(info);
    }));
    tc.start_bytes(input, environment::choices_max());
    let process = std::process::id();
    let ended = exits::fail_during(|| execute(&mut tc, property));
    if process != std::process::id() {
        forked::end(seen.load(Ordering::SeqCst));
    }
    match ended {
        Outcome::Failed(payload) => resume_unwind(payload),
        Outcome::Overrun => {
            eprintln!(
                "the input no longer reaches the failure: it is stopped at the limit of \
                       choices"
            );
        }
        Outcome::Rejected => {
            eprintln!("the input no longer reaches the failure: the target rejects it");
        }
        Outcome::Passed => {}
    }
    assert!(
        !seen.load(Ordering::SeqCst),
        "the target panicked, see above; it caught the panic, or it was in another thread"
    );
}

/// The target may end its process. A test whose process ends with exit code 0 would pass.
#[cfg(feature = "fuzzing")]
mod exits {
    use std::sync::Once;
    use std::sync::atomic::{AtomicU32, Ordering};

    use crate::exit::PANICKED;
    use crate::system::process;

    /// Number of targets that run.
    static RUNS: AtomicU32 = AtomicU32::new(0);
    static FAIL_AT_EXIT: Once = Once::new();

    extern "C" fn on_exit_of_the_target(code: libc::c_int, _argument: *mut libc::c_void) {
        if RUNS.load(Ordering::SeqCst) > 0 {
            eprintln!("the target ended its process with exit code {code}");
            process::leave(PANICKED);
        }
    }

    /// Runs `run`. If the process ends meanwhile, it fails.
    pub(super) fn fail_during<T>(run: impl FnOnce() -> T) -> T {
        FAIL_AT_EXIT.call_once(|| process::at_exit(on_exit_of_the_target));
        RUNS.fetch_add(1, Ordering::SeqCst);
        let result = run();
        RUNS.fetch_sub(1, Ordering::SeqCst);
        result
    }
}

#[cfg(not(feature = "fuzzing"))]
mod exits {
    /// Runs `run`.
    pub(super) fn fail_during<T>(run: impl FnOnce() -> T) -> T {
        run()
    }
}

//! Replaying one input as a test, without any fuzzer.

use std::panic::{resume_unwind, set_hook, take_hook};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dwindle_engine::{Ended, Said, TestCase, execute};

use crate::session::config;

/// Runs `property` on `input`, prints what it draws, and panics as it does. This is what the `repro.rs` of a bug calls.
///
/// As under a fuzzer, a panic counts also if the property catches it or another thread has it; so tests that panic on purpose belong in another file.
///
/// # Panics
/// If the property does, in whatever thread.
pub fn replay(property: impl FnOnce(&mut TestCase), input: &[u8]) {
    let mut tc = TestCase::new();
    tc.listen(Some(Box::new(|said| match said {
        Said::Draw(value) => eprintln!("draw: {value:?}"),
        Said::Note(note) => eprintln!("note: {note}"),
        Said::Name(_) | Said::Line => {}
        Said::Completed(_, value) => eprintln!("asked: {value:?}"),
    })));
    let seen = Arc::new(AtomicBool::new(false));
    let (mark, previous) = (Arc::clone(&seen), take_hook());
    set_hook(Box::new(move |info| {
        mark.store(true, Ordering::SeqCst);
        previous(info);
    }));
    tc.start_bytes(input, config::choices_max());
    match execute(&mut tc, property) {
        Ended::Panicked(payload) => resume_unwind(payload),
        Ended::Halted(halt) => eprintln!("the input no longer reaches the failure: {halt:?}"),
        Ended::Returned => {}
    }
    assert!(!seen.load(Ordering::SeqCst), "the target panicked, see above; it caught the panic, or it was in another thread");
}

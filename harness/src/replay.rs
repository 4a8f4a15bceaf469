//! Replaying one input as a test, without any fuzzer.

use dwindle_engine::{CHOICES_MAX, Ended, Said, TestCase, execute};

/// Runs `property` on `input`, prints what it draws, and panics as it does. This is what the `repro.rs` of a bug calls.
///
/// # Panics
/// If the property does.
pub fn replay(property: impl FnOnce(&mut TestCase), input: &[u8]) {
    let mut tc = TestCase::new();
    tc.listen(Some(Box::new(|said| match said {
        Said::Draw(value) => eprintln!("draw: {value:?}"),
        Said::Note(note) => eprintln!("note: {note}"),
    })));
    tc.start_bytes(input, CHOICES_MAX);
    if let Ended::Panicked(payload) = execute(&mut tc, property) {
        std::panic::resume_unwind(payload);
    }
}

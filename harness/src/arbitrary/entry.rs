//! The steps from the fuzzer's bytes to the target, as in libfuzzer-sys. The macro combines the
//! steps.

use std::fmt::{self, Debug};
use std::mem::ManuallyDrop;
use std::ops::Deref;

use dwindle_engine::TestCase;

use super::Corpus;

/// Bytes on one line, even where values are printed on several lines.
struct InOneLine<'a>(&'a [u8]);

impl Debug for InOneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// All bytes of the fuzzer.
///
/// This crate frees them. The target's crate must contain the same code that libfuzzer-sys would
/// generate. Any additional code would change how libFuzzer numbers its features.
#[derive(Debug)]
pub struct Bytes(ManuallyDrop<Box<[u8]>>);

impl Bytes {
    /// The bytes that the test case has left.
    #[inline]
    pub fn of(tc: &mut TestCase) -> Bytes {
        Bytes(ManuallyDrop::new(tc.rest_of_input()))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Bytes {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: the bytes are not used again.
        unsafe { ManuallyDrop::drop(&mut self.0) };
    }
}

/// All bytes of the fuzzer, for a target that takes them unchanged.
#[inline]
pub fn bytes(tc: &mut TestCase) -> Bytes {
    let bytes = Bytes::of(tc);
    tc.show(&InOneLine(&bytes));
    bytes
}

/// Whether `bytes` are fewer than the minimum size of a value. Such an input is declined. The
/// fuzzer then saves all the runs on values that are cut off.
#[inline]
pub fn is_too_short(tc: &mut TestCase, bytes: &[u8], size_min: usize) -> bool {
    let is_too_short = bytes.len() < size_min;
    if is_too_short {
        tc.decline();
        if tc.is_heard() {
            tc.note(format!(
                "Arbitrary Error: {} bytes given, at least {size_min} needed",
                bytes.len()
            ));
        }
    }
    is_too_short
}

/// Declines an input when no value can be made of its bytes.
#[cold]
pub fn no_value(tc: &mut TestCase, error: &arbitrary::Error) {
    tc.decline();
    if tc.is_heard() {
        tc.note(format!("Arbitrary Error: {error}"));
    }
}

/// Finishes a run after the target has returned.
#[inline]
pub fn end(tc: &mut TestCase, corpus: impl Into<Corpus>) {
    if corpus.into() == Corpus::Reject {
        tc.decline();
    }
}

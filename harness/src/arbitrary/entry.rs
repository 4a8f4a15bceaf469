//! What stands between the fuzzer's bytes and the target, step by step as in libfuzzer-sys; the macro puts the steps together.

use std::fmt::{self, Debug};
use std::mem::ManuallyDrop;
use std::ops::Deref;

use dwindle_engine::TestCase;

use super::Corpus;

/// Bytes in one line, also where values are shown in many.
struct InOneLine<'a>(&'a [u8]);

impl Debug for InOneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// All bytes of the fuzzer.
///
/// They are freed in this crate. What the target's crate holds besides what libfuzzer-sys would make of the same text would change how libFuzzer
/// numbers its features.
#[derive(Debug)]
pub struct Bytes(ManuallyDrop<Box<[u8]>>);

impl Bytes {
    /// Those that the test case has left.
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

/// All bytes of the fuzzer, for a target that takes them as they are.
#[inline]
pub fn bytes(tc: &mut TestCase) -> Bytes {
    let bytes = Bytes::of(tc);
    tc.show(&InOneLine(&bytes));
    bytes
}

/// Whether `bytes` are fewer than the least that a value may take, and so declined: it spares a fuzzer all the ways in which a value is cut off.
#[inline]
pub fn is_too_short(tc: &mut TestCase, bytes: &[u8], size_min: usize) -> bool {
    let is_too_short = bytes.len() < size_min;
    if is_too_short {
        tc.decline();
        if tc.is_heard() {
            tc.note(format!("Arbitrary Error: {} bytes given, at least {size_min} needed", bytes.len()));
        }
    }
    is_too_short
}

/// No value can be made of the bytes.
#[cold]
pub fn no_value(tc: &mut TestCase, error: &arbitrary::Error) {
    tc.decline();
    if tc.is_heard() {
        tc.note(format!("Arbitrary Error: {error}"));
    }
}

/// The target has returned.
#[inline]
pub fn end(tc: &mut TestCase, corpus: impl Into<Corpus>) {
    if corpus.into() == Corpus::Reject {
        tc.decline();
    }
}

//! The verdict of a target about an input.

/// Whether a fuzzer may keep the input. A target that returns `()` means [`Keep`](Corpus::Keep).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corpus {
    /// Keep the input in the corpus if it covers something new.
    Keep,
    /// Do not keep the input: the target does not want it.
    Reject,
}

impl Corpus {
    /// The code that libFuzzer expects.
    #[doc(hidden)]
    #[must_use]
    pub fn to_libfuzzer_code(self) -> i32 {
        match self {
            Corpus::Keep => 0,
            Corpus::Reject => -1,
        }
    }
}

impl From<()> for Corpus {
    fn from((): ()) -> Corpus {
        Corpus::Keep
    }
}

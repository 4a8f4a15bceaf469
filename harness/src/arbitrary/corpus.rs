//! What a target may say of an input.

/// Whether a fuzzer may keep the input. A target that returns `()` says [`Keep`](Corpus::Keep).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corpus {
    /// Keep the input in the corpus, if it covers something new.
    Keep,
    /// Do not keep it: it is not one the target wants.
    Reject,
}

impl Corpus {
    /// As libFuzzer wants it.
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

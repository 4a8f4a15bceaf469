//! Alternatives: what a generator chooses between before anything else.

use super::TestCase;
use crate::trace::Label;

/// What a generator chooses between before anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// How many there are, at least one.
    pub count: usize,
    /// How many of them, the first ones, end a recursion; `count` where nothing recurses.
    pub leaves: usize,
    /// The label of the span around the choice and what follows from it.
    pub label: Label,
}

impl Alternatives {
    /// Draws one of them in a span, and what follows from it.
    #[inline]
    pub fn draw<T>(self, tc: &mut TestCase, generate: impl FnOnce(usize, &mut TestCase) -> T) -> T {
        tc.open_span(self.label);
        let index = tc.alternative(self.count, self.leaves);
        let value = generate(index, tc);
        tc.close_span();
        value
    }

    /// Whether a collection can fuse them with its continue choice.
    #[inline]
    pub fn fuse(self) -> bool {
        self.count <= 255
    }
}

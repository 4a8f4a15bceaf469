//! The first choice of a generator that has alternatives.

use super::TestCase;
use crate::shares::Shares;
use crate::trace::Label;

/// The alternatives of a generator whose first choice selects one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// How many alternatives the generator has, at least one.
    pub count: usize,
    /// How many of the first alternatives end a recursion. Equal to `count` if nothing recurses.
    pub leaves: usize,
    /// The label of the span around the choice and the draws that follow from it.
    pub label: Label,
    /// How often each alternative is drawn.
    pub shares: Shares,
    /// A type, and how many of its values may lie around one that recurses.
    pub nested_max: Option<(Label, usize)>,
}

impl Alternatives {
    /// Alternatives of which none recurses, and all are equally likely.
    pub const fn equal(count: usize, label: Label) -> Alternatives {
        Alternatives { count, leaves: count, label, shares: Shares::EQUAL, nested_max: None }
    }

    /// Opens a span, draws one alternative, and runs `generate` with its index.
    #[inline]
    pub fn draw<T>(self, tc: &mut TestCase, generate: impl FnOnce(usize, &mut TestCase) -> T) -> T {
        tc.open_span(self.label);
        let index = tc.one_of(self);
        let value = generate(index, tc);
        tc.close_span();
        value
    }

    /// Whether a collection can fuse these alternatives with its continue choice.
    #[inline]
    pub fn fuse(self) -> bool {
        self.places() <= 255
    }

    /// How many places the alternatives have, from which a source draws one.
    #[inline]
    pub(super) fn places(self) -> usize {
        self.shares.place_of(self.count)
    }
}

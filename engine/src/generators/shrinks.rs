//! Shrinks that the user gives: which value is the simplest, or which are simpler than another.

use super::Generator;
use crate::test_case::TestCase;
use crate::trace::Label;

/// See [`Generator::shrink_with`].
#[derive(Clone, Copy, Debug)]
pub struct ShrinkWith<G, F> {
    pub(super) inner: G,
    pub(super) simpler: F,
}

impl<G, F, I> Generator for ShrinkWith<G, F>
where
    G: Generator,
    F: Fn(&G::Value) -> I,
    I: IntoIterator<Item = G::Value>,
{
    type Value = G::Value;

    fn generate(&self, tc: &mut TestCase) -> G::Value {
        tc.span(Label::SHRINKS, |tc| {
            let top = self.inner.generate(tc);
            tc.path(top, &self.simpler)
        })
    }
}

/// `drawn`, but that the simplest value and the one towards which to shrink change places.
pub(crate) fn exchanged<T: PartialEq>(drawn: T, simplest: T, towards: T) -> T {
    if drawn == simplest {
        towards
    } else if drawn == towards {
        simplest
    } else {
        drawn
    }
}

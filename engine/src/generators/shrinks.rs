//! Shrinks that the user gives: the simplest value, or the values that are simpler than another.

use super::Generator;
use crate::integer::Integer;
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

/// Integers with a simplest value that the user chose, see
/// [`Integers::shrink_towards`](super::types::Integers::shrink_towards).
#[derive(Clone, Copy, Debug)]
pub struct IntegersTowards<T> {
    pub(super) min: T,
    pub(super) max: T,
    pub(super) towards: T,
}

impl<T: Integer> Generator for IntegersTowards<T> {
    type Value = T;

    fn generate(&self, tc: &mut TestCase) -> T {
        tc.integer_towards(self.min, self.max, self.towards)
    }
}

/// Values in which the simplest value and another have changed places. `shrink_towards` of
/// booleans, floats and characters returns it.
#[derive(Clone, Copy, Debug)]
pub struct Towards<G: Generator> {
    pub(super) inner: G,
    pub(super) simplest: G::Value,
    pub(super) towards: G::Value,
    pub(super) same: fn(G::Value, G::Value) -> bool,
}

impl<G: Generator<Value: Copy>> Generator for Towards<G> {
    type Value = G::Value;

    fn generate(&self, tc: &mut TestCase) -> G::Value {
        let drawn = self.inner.generate(tc);
        if (self.same)(drawn, self.simplest) {
            self.towards
        } else if (self.same)(drawn, self.towards) {
            self.simplest
        } else {
            drawn
        }
    }
}

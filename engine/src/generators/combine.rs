//! Generators made of other generators and of functions.

use std::panic::Location;
use std::rc::Rc;

use super::Generator;
use crate::outcome::FILTER_ATTEMPTS;
use crate::outcome::Rejection;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;
use crate::trace::Label;

/// Always generates a clone of `value`, without a draw.
pub fn just<T: Clone>(value: T) -> Just<T> {
    Just(value)
}

/// See [`just`].
#[derive(Clone, Copy, Debug)]
pub struct Just<T>(T);

impl<T: Clone> Generator for Just<T> {
    type Value = T;

    fn generate(&self, _tc: &mut TestCase) -> T {
        self.0.clone()
    }
}

/// Generates the result of `function`, which can draw from the test case.
///
/// The function may call itself through [`TestCase::deeper`]. The shrinker then puts parts of a
/// value in the place of the whole.
pub fn from_fn<T, F: Fn(&mut TestCase) -> T>(function: F) -> FromFn<F> {
    FromFn(function)
}

/// See [`from_fn`].
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F>(F);

impl<T, F: Fn(&mut TestCase) -> T> Generator for FromFn<F> {
    type Value = T;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> T {
        tc.typed_span(&self.0)
    }
}

/// See [`Generator::map`].
#[derive(Clone, Copy, Debug)]
pub struct Map<G, F> {
    pub(super) inner: G,
    pub(super) function: F,
}

impl<G: Generator, T, F: Fn(G::Value) -> T> Generator for Map<G, F> {
    type Value = T;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> T {
        (self.function)(self.inner.generate(tc))
    }

    #[inline]
    fn alternatives(&self) -> Option<Alternatives> {
        self.inner.alternatives()
    }

    #[inline]
    fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> T {
        (self.function)(self.inner.generate_alternative(index, tc))
    }
}

/// See [`Generator::filter`].
#[derive(Clone, Copy, Debug)]
pub struct Filter<G, F> {
    pub(super) inner: G,
    pub(super) keep: F,
    pub(super) made_at: &'static Location<'static>,
}

impl<G: Generator, F: Fn(&G::Value) -> bool> Generator for Filter<G, F> {
    type Value = G::Value;

    fn generate(&self, tc: &mut TestCase) -> G::Value {
        for _ in 0..FILTER_ATTEMPTS {
            tc.open_span(Label::ATTEMPT);
            let value = self.inner.generate(tc);
            if (self.keep)(&value) {
                tc.close_span();
                return value;
            }
            tc.discard_span();
        }
        tc.reject_because(Rejection::Filter(self.made_at))
    }
}

/// See [`Generator::flat_map`].
#[derive(Clone, Copy, Debug)]
pub struct FlatMap<G, F> {
    pub(super) inner: G,
    pub(super) function: F,
}

impl<G: Generator, H: Generator, F: Fn(G::Value) -> H> Generator for FlatMap<G, F> {
    type Value = H::Value;

    fn generate(&self, tc: &mut TestCase) -> H::Value {
        (self.function)(self.inner.generate(tc)).generate(tc)
    }
}

/// A generator behind a shared pointer, see [`Generator::boxed`].
pub struct Boxed<'a, T>(Rc<dyn Generator<Value = T> + 'a>);

impl<'a, T> Boxed<'a, T> {
    pub(super) fn new(inner: impl Generator<Value = T> + 'a) -> Boxed<'a, T> {
        Boxed(Rc::new(inner))
    }
}

impl<T> Clone for Boxed<'_, T> {
    fn clone(&self) -> Self {
        Boxed(Rc::clone(&self.0))
    }
}

impl<T> std::fmt::Debug for Boxed<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Boxed")
    }
}

impl<T> Generator for Boxed<'_, T> {
    type Value = T;

    fn generate(&self, tc: &mut TestCase) -> T {
        self.0.generate(tc)
    }

    fn alternatives(&self) -> Option<Alternatives> {
        self.0.alternatives()
    }

    fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> T {
        self.0.generate_alternative(index, tc)
    }
}

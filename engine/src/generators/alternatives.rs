//! One of several: generators, values, `Option`, `Result`.

use std::sync::Arc;

use super::{Boxed, Generator, booleans};
use crate::misuse::require;
use crate::shares::Shares;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;
use crate::trace::Label;

/// Generates a value from one of `choices`. The first one is the simplest.
///
/// `choices` is a tuple of up to twelve generators, an array, or a vector. All have the same value
/// type.
///
/// # Panics
/// If `choices` is empty.
#[track_caller]
pub fn one_of<C: OneOfChoices>(choices: C) -> OneOf<C> {
    require!(choices.count() > 0, "one_of needs at least one generator");
    OneOf(choices)
}

/// See [`one_of`].
#[derive(Clone, Copy, Debug)]
pub struct OneOf<C>(C);

impl<C: OneOfChoices> OneOf<C> {
    /// Sets how often each alternative is chosen, as its share of the sum. The random engine and
    /// the bytes of a fuzzer use the same shares.
    ///
    /// The order of the alternatives still decides which is the simplest. A failure that does not
    /// depend on the alternative shrinks to the first one, however rare it is.
    ///
    /// ```
    /// use dwindle::prelude::*;
    /// # use dwindle_engine as dwindle;
    /// # let mut tc = dwindle::internals::Driver::new();
    /// # tc.start_bytes(&[0, 1, 9, 10], 10);
    ///
    /// // Nine of ten are 'b'.
    /// let letters = g::one_of((g::just('a'), g::just('b'))).weights([1, 9]);
    /// let word: [char; 4] = tc.draw([&letters, &letters, &letters, &letters]);
    /// # assert_eq!(word, ['a', 'b', 'b', 'a']);
    /// ```
    ///
    /// # Panics
    /// If the number of weights differs from the number of alternatives, or if a weight is 0. Also
    /// if the weights, divided by their greatest common divisor, add up to more than 65,536.
    ///
    /// In collections, sums of up to 255 work best: one choice then selects the alternative and
    /// whether there is an element.
    #[track_caller]
    pub fn weights(self, weights: impl AsRef<[u32]>) -> Weighted<C> {
        let (weights, count) = (weights.as_ref(), self.0.count());
        require!(
            weights.len() == count,
            "one_of has {count} alternatives and {} weights: give each alternative one",
            weights.len()
        );
        let common = weights.iter().copied().fold(0, divisor);
        let mut ends = Vec::with_capacity(count);
        let mut sum = 0;
        for weight in weights {
            require!(
                *weight > 0,
                "a weight must be at least 1: leave an alternative out to have it never chosen"
            );
            sum += u64::from(weight / common);
            ends.push(sum as u32);
        }
        require!(
            sum <= SUM_MAX,
            "the weights of one_of add up to {sum}: give smaller ones, {SUM_MAX} in all is the most"
        );
        Weighted { choices: self.0, shares: Shares::kept(&ends), ends: ends.into() }
    }
}

/// The greatest sum of the weights of a [`one_of`], because two bytes choose among this number of
/// places.
const SUM_MAX: u64 = 1 << 16;

fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// See [`OneOf::weights`].
#[derive(Clone, Debug)]
pub struct Weighted<C> {
    choices: C,
    /// For each alternative, the place at which the next one begins.
    ends: Arc<[u32]>,
    /// The same. `None` in a thread with too many different weights. Then each place is an
    /// alternative.
    shares: Option<Shares>,
}

impl<C: OneOfChoices> Generator for Weighted<C> {
    type Value = C::Value;

    fn generate(&self, tc: &mut TestCase) -> C::Value {
        self.all().draw(tc, |index, tc| self.generate_alternative(index, tc))
    }

    fn alternatives(&self) -> Option<Alternatives> {
        Some(self.all())
    }

    fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> C::Value {
        let is_place = self.shares.is_none();
        let index =
            if is_place { self.ends.partition_point(|end| *end as usize <= index) } else { index };
        self.choices.generate_at(index, tc)
    }
}

impl<C> Weighted<C> {
    fn all(&self) -> Alternatives {
        let places = self.ends.last().map_or(1, |places| *places as usize);
        let of_places = || Alternatives::equal(places, Label::ONE_OF);
        self.shares.map_or_else(of_places, |shares| Alternatives {
            shares,
            ..Alternatives::equal(self.ends.len(), Label::ONE_OF)
        })
    }
}

/// Several generators with one value type.
pub trait OneOfChoices {
    /// The type of the values.
    type Value;
    /// The number of generators.
    #[doc(hidden)]
    fn count(&self) -> usize;
    /// Draws from the generator at `index`.
    #[doc(hidden)]
    fn generate_at(&self, index: usize, tc: &mut TestCase) -> Self::Value;
}

impl<C: OneOfChoices> Generator for OneOf<C> {
    type Value = C::Value;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> C::Value {
        Alternatives::equal(self.0.count(), Label::ONE_OF)
            .draw(tc, |index, tc| self.0.generate_at(index, tc))
    }

    #[inline]
    fn alternatives(&self) -> Option<Alternatives> {
        Some(Alternatives::equal(self.0.count(), Label::ONE_OF))
    }

    #[inline]
    fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> C::Value {
        self.0.generate_at(index, tc)
    }
}

impl<G: Generator, const N: usize> OneOfChoices for [G; N] {
    type Value = G::Value;

    fn count(&self) -> usize {
        N
    }

    fn generate_at(&self, index: usize, tc: &mut TestCase) -> G::Value {
        self[index].generate(tc)
    }
}

impl<T> OneOfChoices for Vec<Boxed<'_, T>> {
    type Value = T;

    fn count(&self) -> usize {
        self.len()
    }

    fn generate_at(&self, index: usize, tc: &mut TestCase) -> T {
        self[index].generate(tc)
    }
}

macro_rules! tuple_choices {
    ($count:literal: $first:ident 0 $(, $rest:ident $index:tt)*) => {
        impl<$first: Generator $(, $rest: Generator<Value = $first::Value>)*> OneOfChoices
            for ($first, $($rest,)*)
        {
            type Value = $first::Value;

            #[inline]
            fn count(&self) -> usize {
                $count
            }

            #[inline]
            fn generate_at(&self, index: usize, tc: &mut TestCase) -> Self::Value {
                match index {
                    $($index => self.$index.generate(tc),)*
                    _ => self.0.generate(tc),
                }
            }
        }
    };
}

tuple_choices!(1: A 0);
tuple_choices!(2: A 0, B 1);
tuple_choices!(3: A 0, B 1, C 2);
tuple_choices!(4: A 0, B 1, C 2, D 3);
tuple_choices!(5: A 0, B 1, C 2, D 3, E 4);
tuple_choices!(6: A 0, B 1, C 2, D 3, E 4, F 5);
tuple_choices!(7: A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_choices!(8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple_choices!(9: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple_choices!(10: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple_choices!(11: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple_choices!(12: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

/// Draws from both generators and returns the value of `first`, which is simpler, or of `second`.
/// Shrinking keeps the unused value for later.
///
/// [`one_of`] draws from only one of its generators. When it shrinks from the second to the first,
/// the first has only the remaining choices of the second to read. Here, the first keeps the value
/// from the time the failure was found, however far the second has shrunk. In return, each test
/// case takes longer, and it is rejected if either generator rejects it. This pays off for separate
/// ways to fail, such as two kinds of documents.
pub fn choose<A: Generator, B: Generator<Value = A::Value>>(first: A, second: B) -> Choose<A, B> {
    Choose(first, second)
}

/// See [`choose`].
#[derive(Clone, Copy, Debug)]
pub struct Choose<A, B>(A, B);

impl<A: Generator, B: Generator<Value = A::Value>> Generator for Choose<A, B> {
    type Value = A::Value;

    fn generate(&self, tc: &mut TestCase) -> A::Value {
        tc.span(Label::CHOOSE, |tc| {
            let is_second = booleans().generate(tc);
            let first = tc.span(Label::BRANCH, |tc| self.0.generate(tc));
            let second = tc.span(Label::BRANCH, |tc| self.1.generate(tc));
            if is_second { second } else { first }
        })
    }
}

/// Generates a clone of one of `values`. The first one is the simplest.
///
/// # Panics
/// If `values` is empty.
#[track_caller]
pub fn sampled_from<T: Clone, S: AsRef<[T]>>(values: S) -> SampledFrom<S, T> {
    require!(!values.as_ref().is_empty(), "sampled_from needs at least one value");
    SampledFrom { values, value: std::marker::PhantomData }
}

/// See [`sampled_from`].
#[derive(Clone, Copy, Debug)]
pub struct SampledFrom<S, T> {
    values: S,
    value: std::marker::PhantomData<fn() -> T>,
}

impl<T: Clone, S: AsRef<[T]>> Generator for SampledFrom<S, T> {
    type Value = T;

    fn generate(&self, tc: &mut TestCase) -> T {
        let values = self.values.as_ref();
        values[tc.alternative(values.len(), values.len())].clone()
    }

    fn alternatives(&self) -> Option<Alternatives> {
        Some(Alternatives::equal(self.values.as_ref().len(), Label::ONE_OF))
    }

    fn generate_alternative(&self, index: usize, _tc: &mut TestCase) -> T {
        self.values.as_ref()[index].clone()
    }
}

/// Generates `None`, which is simpler, or `Some` with a value of `inner`.
pub fn option<G: Generator>(inner: G) -> Opt<G> {
    Opt(inner)
}

/// See [`option`].
#[derive(Clone, Copy, Debug)]
pub struct Opt<G>(G);

const TWO: Alternatives = Alternatives::equal(2, Label::ONE_OF);

impl<G: Generator> Generator for Opt<G> {
    type Value = Option<G::Value>;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        TWO.draw(tc, |index, tc| self.generate_alternative(index, tc))
    }

    #[inline]
    fn alternatives(&self) -> Option<Alternatives> {
        Some(TWO)
    }

    #[inline]
    fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> Self::Value {
        if index == 0 { None } else { Some(self.0.generate(tc)) }
    }
}

/// Generates `Ok` with a value of `ok`, which is simpler, or `Err` with a value of `err`.
pub fn result<T: Generator, E: Generator>(ok: T, err: E) -> Res<T, E> {
    Res(ok, err)
}

/// See [`result`].
#[derive(Clone, Copy, Debug)]
pub struct Res<T, E>(T, E);

impl<T: Generator, E: Generator> Generator for Res<T, E> {
    type Value = Result<T::Value, E::Value>;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        TWO.draw(tc, |index, tc| self.generate_alternative(index, tc))
    }

    #[inline]
    fn alternatives(&self) -> Option<Alternatives> {
        Some(TWO)
    }

    #[inline]
    fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> Self::Value {
        if index == 0 { Ok(self.0.generate(tc)) } else { Err(self.1.generate(tc)) }
    }
}

//! Generators turn choices into values.
//!
//! A generator is the parser of the choice sequence. The order of its draws *is* the meaning of an
//! input. Every generator here puts simple values first. So an input of zeros is the simplest
//! value, and shrinking needs no separate code.
//!
//! A new generator stands in the file of its family. Its type is exported in [`types`], and the
//! function that makes it is exported below that.

mod alternatives;
mod any;
mod lengths;
mod collections;
mod combine;
mod draw;
mod functions;
mod numbers;
mod orders;
mod paths;
mod recursive;
mod regex;
mod shrinks;
mod std_types;
mod strings;
mod addresses;
#[cfg(feature = "chrono")]
mod dates;
#[cfg(feature = "uuid")]
mod uuids;
mod tuples;

/// The types of the generators. The function of each one makes it, for example
/// [`vec`](fn@vec) makes [`Vecs`](types::Vecs).
///
/// Name a type where a function returns a generator: `fn names() -> g::types::FromRegex`. There,
/// `impl Generator<Value = String>` and [`Boxed`] do as well.
pub mod types {
    pub use super::alternatives::{Choose, OneOf, Opt, Res, SampledFrom, Weighted};
    pub use super::any::Any;
    pub use super::collections::{BTreeMaps, BTreeSets, HashMaps, HashSets, UniqueVecs, Vecs};
    pub use super::combine::{Filter, FlatMap, FromFn, Just, Map};
    #[cfg(feature = "chrono")]
    pub use super::dates::Dates;
    pub use super::functions::Functions;
    pub use super::numbers::{Booleans, Floats, Integers, WeightedBooleans};
    pub use super::orders::{Permutations, Subsequence};
    pub use super::paths::Paths;
    pub use super::recursive::Recursive;
    pub use super::regex::FromRegex;
    pub use super::shrinks::{IntegersTowards, ShrinkWith, Towards};
    pub use super::strings::{ByteStrings, Characters, Texts};
}

pub use crate::choice::Length;
pub use crate::integer::Integer;
pub use crate::test_case::Repeat;
pub use crate::trace::Label;
pub use alternatives::{OneOfChoices, choose, one_of, option, result, sampled_from};
pub use any::{Generate, any};
pub use collections::{btree_map, btree_set, hash_map, hash_set, vec};
pub use combine::{Boxed, from_fn, just};
#[cfg(feature = "chrono")]
pub use dates::dates;
pub use functions::{Fun, functions};
pub use lengths::Lengths;
pub use numbers::{Float, booleans, floats, integers, weighted_booleans};
pub use orders::{permutations, subsequence};
pub use paths::paths;
pub use recursive::recursive;
pub use regex::from_regex;
pub use strings::{bytes, characters, text};

use std::panic::Location;

use self::types::{Filter, FlatMap, Map, ShrinkWith};
use crate::test_case::{Alternatives, TestCase};

/// Turns choices into values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a generator",
    label = "not a generator",
    note = "write `g::integers(1..=6)` for a range, `g::just(value)` for a value, `any::<T>()` for \
            any value of a type"
)]
pub trait Generator {
    /// The type of the values.
    type Value;

    /// Draws one value. The same choices give the same value.
    fn generate(&self, tc: &mut TestCase) -> Self::Value;

    /// The alternatives of the first choice of this generator, or `None` if it does not begin with
    /// an alternative.
    ///
    /// A collection of such values fuses this choice with its continue choice, see the byte format.
    #[doc(hidden)]
    #[inline]
    fn alternatives(&self) -> Option<Alternatives> {
        None
    }

    /// Draws a value whose alternative is already chosen. `index` must be below the count that
    /// [`alternatives`](Generator::alternatives) returns.
    #[doc(hidden)]
    #[inline]
    fn generate_alternative(&self, _index: usize, tc: &mut TestCase) -> Self::Value {
        self.generate(tc)
    }

    /// Passes each value through `function`.
    fn map<T, F: Fn(Self::Value) -> T>(self, function: F) -> Map<Self, F>
    where
        Self: Sized,
    {
        Map { inner: self, function }
    }

    /// Keeps only values for which `keep` is true. The generator draws up to 3 values, then it
    /// rejects the test case.
    ///
    /// If `keep` would reject nearly every value, use [`map`](Generator::map) instead: a rejected
    /// test case tests nothing. A health check names the place of a filter that rejects too many.
    #[track_caller]
    fn filter<F: Fn(&Self::Value) -> bool>(self, keep: F) -> Filter<Self, F>
    where
        Self: Sized,
    {
        Filter { inner: self, keep, made_at: Location::caller() }
    }

    /// Draws a value, then a value of the generator that `function` makes from it.
    fn flat_map<G: Generator, F: Fn(Self::Value) -> G>(self, function: F) -> FlatMap<Self, F>
    where
        Self: Sized,
    {
        FlatMap { inner: self, function }
    }

    /// Adds your own shrinks to the values. `simpler` names the values to try in place of a value,
    /// the simplest first.
    ///
    /// The shrinker tries them in addition to its own passes. A value that still fails may shrink
    /// again either way. Random values are those of the generator itself.
    ///
    /// In bytes, the steps from a value to simpler ones follow the value. They end at a value for
    /// which `simpler` names no others, or after 1,024 steps. At each step, only the first 255
    /// named values can be taken.
    ///
    /// ```
    /// use dwindle::prelude::*;
    /// # use dwindle_engine as dwindle;
    /// # let mut tc = dwindle::internals::Driver::new();
    /// # tc.start_bytes(&[77, 1, 0, 0], 10);
    ///
    /// // Prices shrink to whole ones as well as to smaller ones.
    /// let cents = g::integers(0..=100_000u32)
    ///     .shrink_with(|cents| (cents % 100 != 0).then_some(cents - cents % 100));
    /// # assert_eq!(tc.draw(cents), 300);
    /// ```
    fn shrink_with<F, I>(self, simpler: F) -> ShrinkWith<Self, F>
    where
        Self: Sized,
        F: Fn(&Self::Value) -> I,
        I: IntoIterator<Item = Self::Value>,
    {
        ShrinkWith { inner: self, simpler }
    }

    /// Puts the generator behind a pointer, so that different generators have one type.
    fn boxed<'a>(self) -> Boxed<'a, Self::Value>
    where
        Self: Sized + 'a,
    {
        Boxed::new(self)
    }
}

macro_rules! through_pointers {
    ($($pointer:ty),*) => {$(
        impl<G: Generator + ?Sized> Generator for $pointer {
            type Value = G::Value;

            #[inline]
            fn generate(&self, tc: &mut TestCase) -> G::Value {
                (**self).generate(tc)
            }

            #[inline]
            fn alternatives(&self) -> Option<Alternatives> {
                (**self).alternatives()
            }

            #[inline]
            fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> G::Value {
                (**self).generate_alternative(index, tc)
            }
        }
    )*};
}

through_pointers!(&G, Box<G>, std::rc::Rc<G>, std::sync::Arc<G>);

//! Code that turns choices into values.
//!
//! A generator is the parser of the choice sequence: what it draws in which order *is* the meaning of an input. Every generator here puts simple values first, so
//! that an input of zeros is the simplest value and shrinking needs no separate code.

mod alternatives;
mod any;
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

pub use alternatives::{Choose, OneOf, OneOfChoices, Opt, Res, SampledFrom, Weighted, choose, one_of, option, result, sampled_from};
pub use any::{Any, Generate, any};
pub use collections::{BTreeMaps, BTreeSets, HashMaps, HashSets, Sizes, UNIQUE_ATTEMPTS, UniqueVecs, Vecs, btree_map, btree_set, hash_map, hash_set, vec};
pub use combine::{Boxed, Filter, FlatMap, FromFn, Just, Map, from_fn, just};
#[cfg(feature = "chrono")]
pub use dates::{Dates, dates};
pub use functions::{Fun, Functions, functions};
pub use numbers::{Booleans, Coins, Float, Floats, Integers, booleans, floats, integers, weighted};
pub use orders::{Shuffled, Subsequence, shuffled, subsequence};
pub use paths::{Paths, paths};
pub use recursive::{Recursive, recursive};
pub use regex::{Matching, strings_matching};
pub use shrinks::{IntegersTowards, ShrinkWith, Towards};
pub use strings::{ByteStrings, Chars, Texts, bytes, chars, text};

use std::panic::Location;

pub use crate::outcome::FILTER_ATTEMPTS;
use crate::test_case::{Alternatives, TestCase};

/// Turns choices into values.
pub trait Generator {
    /// What it makes.
    type Value;

    /// Draws one value. The same choices give the same value.
    fn generate(&self, tc: &mut TestCase) -> Self::Value;

    /// The alternatives this generator chooses between before anything else, if that is what it does first.
    ///
    /// A collection of such values fuses this choice with the one whether to go on, see the [byte format](crate::codec).
    #[inline]
    fn alternatives(&self) -> Option<Alternatives> {
        None
    }

    /// Draws a value whose alternative is chosen already. Only called with an index below what [`alternatives`](Generator::alternatives) says.
    #[inline]
    fn generate_alternative(&self, _index: usize, tc: &mut TestCase) -> Self::Value {
        self.generate(tc)
    }

    /// What `function` makes of the values.
    fn map<T, F: Fn(Self::Value) -> T>(self, function: F) -> Map<Self, F>
    where
        Self: Sized,
    {
        Map { inner: self, function }
    }

    /// Only the values for which `keep` is true: up to [`FILTER_ATTEMPTS`] are drawn, then the test case is rejected.
    ///
    /// What it would have to reject nearly always is better made by [`map`](Generator::map): a rejected test case tests nothing. Who rejected it, with the place where
    /// the filter was made, is kept: see [`TestCase::rejection`].
    #[track_caller]
    fn filter<F: Fn(&Self::Value) -> bool>(self, keep: F) -> Filter<Self, F>
    where
        Self: Sized,
    {
        Filter { inner: self, keep, made_at: Location::caller() }
    }

    /// Draws a value, then one from the generator that `function` makes of it.
    fn flat_map<G: Generator, F: Fn(Self::Value) -> G>(self, function: F) -> FlatMap<Self, F>
    where
        Self: Sized,
    {
        FlatMap { inner: self, function }
    }

    /// The values, and shrinks of your own for them: `simpler` names the values to try in place of one, the simplest first. They are tried beside what shrinking does
    /// anyway, so one that fails may be shrunk again either way. Random values are those of the generator itself.
    ///
    /// Reading bytes, a value is followed by the path that it takes down, see [`TestCase::path`]. A value for which `simpler` names none ends it.
    ///
    /// ```
    /// use dwindle_engine::{Generator, generators as g};
    ///
    /// // Prices shrink to whole ones as well as to smaller ones.
    /// let cents = g::integers(0..=100_000u32).shrink_with(|cents| (cents % 100 != 0).then_some(cents - cents % 100));
    /// # let mut tc = dwindle_engine::TestCase::new();
    /// # tc.start_bytes(&[77, 1, 0, 0], 10);
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

    /// The same generator behind a pointer, so that different ones have one type.
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

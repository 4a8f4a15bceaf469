//! Vectors, sets, maps: one continue choice before each element.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use super::Generator;
use super::lengths::{Lengths, length_of};
use crate::choice::Length;
use crate::outcome::FILTER_ATTEMPTS;
use crate::outcome::Rejection;
use crate::test_case::TestCase;
use crate::trace::Label;

/// Generates vectors of values of `element`, of any length. Shorter vectors are simpler.
#[inline]
pub fn vec<G: Generator>(element: G) -> Vecs<G> {
    Vecs { element, sizes: Sizes::ANY }
}

/// Generates sets of values of `element`.
///
/// The generator draws each element up to 3 times until it is new, and then skips it. A set below
/// its least size rejects the test case.
pub fn btree_set<G: Generator<Value: Ord>>(element: G) -> BTreeSets<G> {
    BTreeSets { element, sizes: Sizes::ANY }
}

/// Generates sets of values of `element`, see [`btree_set`].
pub fn hash_set<G: Generator<Value: Eq + Hash>>(element: G) -> HashSets<G> {
    HashSets { element, sizes: Sizes::ANY }
}

/// Generates maps from values of `key` to values of `value`. [`btree_set`] describes the handling
/// of equal keys.
pub fn btree_map<K: Generator<Value: Ord>, V: Generator>(key: K, value: V) -> BTreeMaps<K, V> {
    BTreeMaps { key, value, sizes: Sizes::ANY }
}

/// Generates maps from values of `key` to values of `value`. [`btree_set`] describes the handling
/// of equal keys.
pub fn hash_map<K: Generator<Value: Eq + Hash>, V: Generator>(key: K, value: V) -> HashMaps<K, V> {
    HashMaps { key, value, sizes: Sizes::ANY }
}

/// How often a vector of unique elements draws a required element until it is new.
const UNIQUE_ATTEMPTS: usize = 32;

/// The possible numbers of elements of a collection.
#[derive(Clone, Copy, Debug)]
struct Sizes(Length);

impl Sizes {
    const ANY: Sizes = Sizes(Length { min: 0, max: usize::MAX });
}

macro_rules! sized {
    ($($type:ident<$($part:ident: $field:ident),*>;)*) => {$(
        /// See the function of the same name.
        #[derive(Clone, Copy, Debug)]
        pub struct $type<$($part),*> {
            $($field: $part,)*
            sizes: Sizes,
        }

        impl<$($part),*> $type<$($part),*> {
            /// Sets the number of elements: `5`, `..5` or `1..=5`.
            ///
            /// # Panics
            /// If the range is empty.
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn len(self, lengths: impl Lengths) -> Self {
                $type { sizes: Sizes(length_of(lengths)), ..self }
            }
        }
    )*};
}

sized! {
    Vecs<G: element>;
    UniqueVecs<G: element, F: key>;
    BTreeSets<G: element>;
    HashSets<G: element>;
    BTreeMaps<K: key, V: value>;
    HashMaps<K: key, V: value>;
}

/// The key function that uses the element itself as its key.
type KeyOf<T> = fn(&T) -> T;

impl<G: Generator> Vecs<G> {
    /// Generates only vectors whose elements all differ.
    ///
    /// Below its least length, a vector draws each element up to 32 times until it is new, and then
    /// rejects the test case. Above it, a vector draws each element up to 3 times, and then skips
    /// it. If the possible values are given and few, use [`subsequence`](super::subsequence) or
    /// [`permutations`](super::permutations): both draw each value at most once.
    ///
    /// ```
    /// use dwindle::prelude::*;
    /// # use dwindle_engine as dwindle;
    /// # let mut tc = dwindle::internals::Driver::new();
    /// # tc.start_random(1, 1000);
    ///
    /// let digits = tc.draw(g::vec(g::integers(0..10u8)).len(10..=10).unique());
    /// assert_eq!(digits.iter().sum::<u8>(), 45);
    /// ```
    pub fn unique(self) -> UniqueVecs<G, KeyOf<G::Value>>
    where
        G::Value: Clone + Eq + Hash,
    {
        self.unique_by(Clone::clone)
    }

    /// Generates only vectors whose elements all have different keys, see [`unique`](Vecs::unique).
    ///
    /// ```
    /// use dwindle::prelude::*;
    /// # use dwindle_engine as dwindle;
    /// # let mut tc = dwindle::internals::Driver::new();
    /// # tc.start_bytes(&[1, 5, 70, 1, 5, 71, 6, 72, 0], 1000);
    ///
    /// // No two have the same number.
    /// let named = tc.draw(g::vec(any::<(u8, char)>()).unique_by(|(id, _)| *id));
    /// # assert_eq!(named, [(5, 'F'), (6, 'H')]);
    /// ```
    pub fn unique_by<K: Eq + Hash, F: Fn(&G::Value) -> K>(self, key: F) -> UniqueVecs<G, F> {
        UniqueVecs { element: self.element, key, sizes: self.sizes }
    }
}

impl<G: Generator> Generator for Vecs<G> {
    type Value = Vec<G::Value>;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        let mut elements = Vec::new();
        each_element(&self.element, self.sizes.0, tc, |element, _| {
            // In a target with coverage, the growth of an empty vector costs as much as drawing
            // some elements.
            if elements.capacity() == 0 {
                elements = Vec::with_capacity(first_capacity::<G::Value>());
            }
            elements.push(element);
        });
        elements
    }
}

/// The capacity of a vector that has grown for its first element.
const fn first_capacity<T>() -> usize {
    match size_of::<T>() {
        0..=1 => 8,
        2..=1024 => 4,
        _ => 1,
    }
}

/// Draws elements one after another. If an element begins with an alternative, its choice is fused
/// with the continue choice.
#[inline]
pub(super) fn each_element<G: Generator>(
    element: &G,
    length: Length,
    tc: &mut TestCase,
    mut push: impl FnMut(G::Value, &mut TestCase),
) {
    let mut repeat = tc.repeat(length);
    match element.alternatives() {
        Some(alternatives) if alternatives.fuse() && length.min != length.max => {
            while let Some(index) = tc.more_alternative(&mut repeat, alternatives) {
                push(element.generate_alternative(index, tc), tc);
                tc.close_spans(2);
            }
        }
        _ => {
            while tc.more(&mut repeat) {
                push(element.generate(tc), tc);
                tc.close_span();
            }
        }
    }
}

impl<G: Generator, K: Eq + Hash, F: Fn(&G::Value) -> K> Generator for UniqueVecs<G, F> {
    type Value = Vec<G::Value>;

    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        let length = self.sizes.0;
        let mut elements = Vec::new();
        let mut keys = HashSet::new();
        each_element(&self.element, length, tc, |first, tc| {
            let required = elements.len() < length.min;
            let attempts = if required { UNIQUE_ATTEMPTS } else { FILTER_ATTEMPTS };
            let mut drawn = Some(first).filter(|element| keys.insert((self.key)(element)));
            for _ in 1..attempts {
                if drawn.is_some() {
                    break;
                }
                tc.open_span(Label::ATTEMPT);
                drawn = Some(self.element.generate(tc))
                    .filter(|element| keys.insert((self.key)(element)));
                if drawn.is_some() { tc.close_span() } else { tc.discard_span() }
            }
            if required && drawn.is_none() {
                tc.reject_because(Rejection::Distinct {
                    found: elements.len(),
                    wanted: length.min,
                });
            }
            elements.extend(drawn);
        });
        elements
    }
}

/// Draws the elements of a set. `insert` returns whether the element was new.
fn each_distinct<G: Generator>(
    element: &G,
    length: Length,
    tc: &mut TestCase,
    mut insert: impl FnMut(G::Value, &mut TestCase) -> bool,
) {
    let mut distinct = 0;
    each_element(element, length, tc, |first, tc| {
        let mut new = insert(first, tc);
        for _ in 1..FILTER_ATTEMPTS {
            if new {
                break;
            }
            tc.open_span(Label::ATTEMPT);
            new = insert(element.generate(tc), tc);
            tc.close_span();
        }
        distinct += usize::from(new);
    });
    if distinct < length.min {
        tc.reject_because(Rejection::Distinct { found: distinct, wanted: length.min });
    }
}

impl<G: Generator<Value: Ord>> Generator for BTreeSets<G> {
    type Value = BTreeSet<G::Value>;

    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        let mut set = BTreeSet::new();
        each_distinct(&self.element, self.sizes.0, tc, |element, _| set.insert(element));
        set
    }
}

impl<G: Generator<Value: Eq + Hash>> Generator for HashSets<G> {
    type Value = HashSet<G::Value>;

    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        let mut set = HashSet::new();
        each_distinct(&self.element, self.sizes.0, tc, |element, _| set.insert(element));
        set
    }
}

impl<K: Generator<Value: Ord>, V: Generator> Generator for BTreeMaps<K, V> {
    type Value = BTreeMap<K::Value, V::Value>;

    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        let mut map = BTreeMap::new();
        each_distinct(&self.key, self.sizes.0, tc, |key, tc| {
            let new = !map.contains_key(&key);
            if new {
                map.insert(key, self.value.generate(tc));
            }
            new
        });
        map
    }
}

impl<K: Generator<Value: Eq + Hash>, V: Generator> Generator for HashMaps<K, V> {
    type Value = HashMap<K::Value, V::Value>;

    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        let mut map = HashMap::new();
        each_distinct(&self.key, self.sizes.0, tc, |key, tc| {
            let new = !map.contains_key(&key);
            if new {
                map.insert(key, self.value.generate(tc));
            }
            new
        });
        map
    }
}

//! Vectors, sets, maps: one continue choice in front of each element.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::ops::{Bound, RangeBounds};

use super::{FILTER_ATTEMPTS, Generator};
use crate::choice::Length;
use crate::test_case::TestCase;
use crate::trace::Label;

/// Vectors of what `element` makes, of any length. Shorter ones are simpler.
#[inline]
pub fn vec<G: Generator>(element: G) -> Vecs<G> {
    Vecs { element, sizes: Sizes::ANY }
}

/// Sets of what `element` makes. An element drawn twice is drawn again, up to [`FILTER_ATTEMPTS`] times; then the set is left as it is, or, below its least
/// size, the test case rejected.
pub fn btree_set<G: Generator<Value: Ord>>(element: G) -> BTreeSets<G> {
    BTreeSets { element, sizes: Sizes::ANY }
}

/// Sets of what `element` makes, see [`btree_set`].
pub fn hash_set<G: Generator<Value: Eq + Hash>>(element: G) -> HashSets<G> {
    HashSets { element, sizes: Sizes::ANY }
}

/// Maps from what `key` makes to what `value` makes, see [`btree_set`] for keys drawn twice.
pub fn btree_map<K: Generator<Value: Ord>, V: Generator>(key: K, value: V) -> BTreeMaps<K, V> {
    BTreeMaps { key, value, sizes: Sizes::ANY }
}

/// Maps from what `key` makes to what `value` makes, see [`btree_set`] for keys drawn twice.
pub fn hash_map<K: Generator<Value: Eq + Hash>, V: Generator>(key: K, value: V) -> HashMaps<K, V> {
    HashMaps { key, value, sizes: Sizes::ANY }
}

/// How many elements a collection may have.
#[derive(Clone, Copy, Debug)]
pub struct Sizes(Length);

impl Sizes {
    const ANY: Sizes = Sizes(Length { min: 0, max: usize::MAX });
}

/// The lengths a range stands for.
#[inline]
#[track_caller]
pub(crate) fn length_of(range: impl RangeBounds<usize>) -> Length {
    let min = match range.start_bound() {
        Bound::Included(min) => *min,
        Bound::Excluded(below) => below.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let max = match range.end_bound() {
        Bound::Included(max) => Some(*max),
        Bound::Excluded(above) => above.checked_sub(1),
        Bound::Unbounded => Some(usize::MAX),
    };
    match max {
        Some(max) if min <= max => Length { min, max },
        _ => panic!("the range {:?} to {:?} holds no length", range.start_bound(), range.end_bound()),
    }
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
            /// Only those whose number of elements lies in `range`.
            ///
            /// # Panics
            /// If the range is empty.
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn len(self, range: impl RangeBounds<usize>) -> Self {
                $type { sizes: Sizes(length_of(range)), ..self }
            }
        }
    )*};
}

sized! {
    Vecs<G: element>;
    BTreeSets<G: element>;
    HashSets<G: element>;
    BTreeMaps<K: key, V: value>;
    HashMaps<K: key, V: value>;
}

impl<G: Generator> Generator for Vecs<G> {
    type Value = Vec<G::Value>;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> Self::Value {
        let mut elements = Vec::new();
        each_element(&self.element, self.sizes.0, tc, |element, _| {
            // To grow from nothing costs, in a target with coverage, as much as to draw some elements.
            if elements.capacity() == 0 {
                elements = Vec::with_capacity(first_capacity::<G::Value>());
            }
            elements.push(element);
        });
        elements
    }
}

/// Room for how many elements a vector has when it has one, as if it had grown.
const fn first_capacity<T>() -> usize {
    match size_of::<T>() {
        0..=1 => 8,
        2..=1024 => 4,
        _ => 1,
    }
}

/// Draws elements one after another, fusing the continue choice with the alternative that an element begins with, if it does.
#[inline]
fn each_element<G: Generator>(element: &G, length: Length, tc: &mut TestCase, mut push: impl FnMut(G::Value, &mut TestCase)) {
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

/// Draws the elements of a set. `insert` says whether the element was new.
fn each_distinct<G: Generator>(element: &G, length: Length, tc: &mut TestCase, mut insert: impl FnMut(G::Value, &mut TestCase) -> bool) {
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
    tc.assume(distinct >= length.min);
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

//! Generators of the types of the standard library.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8,
    NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize,
};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::{
    Generate, Generator, any, booleans, btree_map, btree_set, characters, floats, hash_map,
    hash_set, integers, option, result, text, vec,
};
use crate::integer::Integer;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;

/// Implements all three methods of `Generate` with the generator that the expression makes.
macro_rules! generate_with {
    ($(($($bounds:tt)*) $type:ty: $generator:expr;)*) => {$(
        impl<$($bounds)*> Generate for $type {
            #[inline]
            fn generate(tc: &mut TestCase) -> Self {
                Generator::generate(&$generator, tc)
            }

            #[inline]
            fn alternatives() -> Option<Alternatives> {
                Generator::alternatives(&$generator)
            }

            #[inline]
            fn generate_alternative(index: usize, tc: &mut TestCase) -> Self {
                Generator::generate_alternative(&$generator, index, tc)
            }
        }
    )*};
}

pub(super) use generate_with;

macro_rules! integers_of {
    ($($type:ident $non_zero:ident)*) => {$(
        impl Generate for $type {
            #[inline]
            fn generate(tc: &mut TestCase) -> Self {
                tc.integer(<$type as Integer>::MIN, <$type as Integer>::MAX)
            }
        }

        impl Generate for $non_zero {
            fn generate(tc: &mut TestCase) -> Self {
                // Maps 0 to 1. A filter would reject every test case that reads past the end of its
                // input.
                const ONE: $non_zero = $non_zero::new(1).unwrap();
                let number = tc.integer(<$type as Integer>::MIN, <$type as Integer>::MAX);
                $non_zero::new(number).unwrap_or(ONE)
            }
        }
    )*};
}

integers_of! {
    u8 NonZeroU8 u16 NonZeroU16 u32 NonZeroU32 u64 NonZeroU64 u128 NonZeroU128 usize NonZeroUsize
    i8 NonZeroI8 i16 NonZeroI16 i32 NonZeroI32 i64 NonZeroI64 i128 NonZeroI128 isize NonZeroIsize
}

generate_with! {
    () bool: booleans();
    () f32: floats::<f32>(..);
    () f64: floats::<f64>(..);
    () char: characters();
    () String: text();
    () Box<str>: text().map(String::into_boxed_str);
    () Duration: (integers::<u64>(..), integers::<u32>(..1_000_000_000))
        .map(|(seconds, nanos)| Duration::new(seconds, nanos));
    (T: Generate) Vec<T>: vec(any::<T>());
    (T: Generate) Box<[T]>: vec(any::<T>()).map(Vec::into_boxed_slice);
    (T: Generate) VecDeque<T>: vec(any::<T>()).map(VecDeque::from);
    (T: Generate + Ord) BTreeSet<T>: btree_set(any::<T>());
    (K: Generate + Ord, V: Generate) BTreeMap<K, V>: btree_map(any::<K>(), any::<V>());
    (T: Generate + Eq + Hash, S: BuildHasher + Default) HashSet<T, S>:
        hash_set(any::<T>()).map(|set| set.into_iter().collect::<HashSet<T, S>>());
    (K: Generate + Eq + Hash, V: Generate, S: BuildHasher + Default) HashMap<K, V, S>:
        hash_map(any::<K>(), any::<V>()).map(|map| map.into_iter().collect::<HashMap<K, V, S>>());
    (T: Generate) Option<T>: option(any::<T>());
    (T: Generate, E: Generate) Result<T, E>: result(any::<T>(), any::<E>());
    (T: Generate) Box<T>: any::<T>().map(Box::new);
    (T: Generate) Rc<T>: any::<T>().map(Rc::new);
    (T: Generate) Arc<T>: any::<T>().map(Arc::new);
    (T: Generate, const N: usize) [T; N]: std::array::from_fn::<_, N, _>(|_| any::<T>());
    (A: Generate) (A,): (any::<A>(),);
    (A: Generate, B: Generate) (A, B): (any::<A>(), any::<B>());
    (A: Generate, B: Generate, C: Generate) (A, B, C): (any::<A>(), any::<B>(), any::<C>());
    (A: Generate, B: Generate, C: Generate, D: Generate) (A, B, C, D):
        (any::<A>(), any::<B>(), any::<C>(), any::<D>());
    (A: Generate, B: Generate, C: Generate, D: Generate, E: Generate) (A, B, C, D, E):
        (any::<A>(), any::<B>(), any::<C>(), any::<D>(), any::<E>());
    (A: Generate, B: Generate, C: Generate, D: Generate, E: Generate, F: Generate)
        (A, B, C, D, E, F):
        (any::<A>(), any::<B>(), any::<C>(), any::<D>(), any::<E>(), any::<F>());
}

impl<T: ?Sized> Generate for PhantomData<T> {
    fn generate(_tc: &mut TestCase) -> Self {
        PhantomData
    }
}

impl Generate for () {
    fn generate(_tc: &mut TestCase) {}
}

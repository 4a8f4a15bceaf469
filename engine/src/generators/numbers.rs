//! Booleans, integers, floats.

use std::ops::{Bound, RangeBounds};

use super::Generator;
use super::shrinks::{IntegersTowards, Towards};
use crate::choice::{Coin, FloatRange};
use crate::integer::Integer;
use crate::misuse::{misuse, require};
use crate::test_case::TestCase;

/// Generates `false` or `true` with equal probability. `false` is simpler.
pub fn booleans() -> Booleans {
    Booleans(())
}

/// See [`booleans`].
#[derive(Clone, Copy, Debug)]
pub struct Booleans(());

impl Booleans {
    /// Generates the same booleans, with `towards` as the simpler one.
    #[must_use]
    pub fn shrink_towards(self, towards: bool) -> Towards<Booleans> {
        Towards { inner: self, simplest: false, towards, same: |one, other| one == other }
    }
}

impl Generator for Booleans {
    type Value = bool;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> bool {
        tc.coin(Coin { threshold: 0x80, bytes: 1, more: false, forced: None })
    }
}

/// Generates `true` with probability `p`. `false` is simpler, however unlikely it is.
///
/// # Panics
/// If `p` is not in 0.0..=1.0.
#[track_caller]
pub fn weighted_booleans(p: f64) -> WeightedBooleans {
    WeightedBooleans(Coin::weighted(p))
}

/// See [`weighted_booleans`].
#[derive(Clone, Copy, Debug)]
pub struct WeightedBooleans(Coin);

impl Generator for WeightedBooleans {
    type Value = bool;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> bool {
        tc.coin(self.0)
    }
}

/// Generates the integers of `range`. They shrink towards 0, or towards the end of the range nearer
/// to it.
///
/// # Panics
/// If the range is empty.
#[inline]
#[track_caller]
pub fn integers<T: Integer>(range: impl RangeBounds<T>) -> Integers<T> {
    let min = match range.start_bound() {
        Bound::Included(min) => Some(*min),
        Bound::Excluded(below) => below.successor(),
        Bound::Unbounded => Some(T::MIN),
    };
    let max = match range.end_bound() {
        Bound::Included(max) => Some(*max),
        Bound::Excluded(above) => above.predecessor(),
        Bound::Unbounded => Some(T::MAX),
    };
    match (min, max) {
        (Some(min), Some(max)) if min <= max => Integers { min, max },
        _ => misuse(format_args!(
            "the range {:?} to {:?} holds no integer: its end must lie above its start, or on it \
             with `..=`",
            range.start_bound(),
            range.end_bound()
        )),
    }
}

/// See [`integers`].
#[derive(Clone, Copy, Debug)]
pub struct Integers<T> {
    min: T,
    max: T,
}

impl<T: Integer> Integers<T> {
    /// Generates the same integers, with `towards` as the simplest. Integers nearer to `towards`
    /// are simpler.
    ///
    /// In bytes, `towards` and the previous simplest value change places.
    ///
    /// # Panics
    /// If `towards` is not in the range.
    #[must_use]
    #[track_caller]
    pub fn shrink_towards(self, towards: T) -> IntegersTowards<T> {
        let Integers { min, max } = self;
        require!(
            min <= towards && towards <= max,
            "{towards:?} is not in the range {min:?} to {max:?}, so nothing shrinks towards it"
        );
        IntegersTowards { min, max, towards }
    }
}

impl<T: Integer> Generator for Integers<T> {
    type Value = T;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> T {
        tc.integer(self.min, self.max)
    }
}

/// Generates the floats of `range`, `f32` or `f64`. They shrink towards 0.0: integral before
/// fractional, few binary places before many.
///
/// `..` also holds the infinities and NaN. A range with an end holds no NaN. An open end extends to
/// infinity.
///
/// # Panics
/// If the range is empty or an end of it is NaN.
#[track_caller]
pub fn floats<T: Float>(range: impl RangeBounds<T>) -> Floats<T> {
    let unbounded =
        matches!((range.start_bound(), range.end_bound()), (Bound::Unbounded, Bound::Unbounded));
    let min = match range.start_bound() {
        Bound::Included(min) => (*min).into(),
        Bound::Excluded(below) => below.next_up_wide(),
        Bound::Unbounded => f64::NEG_INFINITY,
    };
    let max: f64 = match range.end_bound() {
        Bound::Included(max) => (*max).into(),
        Bound::Excluded(above) => above.next_down_wide(),
        Bound::Unbounded => f64::INFINITY,
    };
    // No float lies beyond the infinities: the neighbour of an excluded infinity is the infinity
    // itself.
    let beyond = matches!(range.start_bound(), Bound::Excluded(below) if (*below).into() >= min)
        || matches!(range.end_bound(), Bound::Excluded(above) if (*above).into() <= max);
    require!(
        min <= max && !beyond,
        "the range {:?} to {:?} holds no float: its end must lie above its start, or on it with \
         `..=`, and NaN is no end (`..` alone holds NaN)",
        range.start_bound(),
        range.end_bound()
    );
    // The range from 0.0 to -0.0 is valid and holds both zeros.
    let (min, max) = if min.total_cmp(&max).is_gt() { (max, min) } else { (min, max) };
    Floats {
        range: FloatRange { min, max, nan: unbounded, type_bytes: T::BYTES },
        convert: T::from_wide,
    }
}

/// See [`floats`].
#[derive(Clone, Copy, Debug)]
pub struct Floats<T> {
    range: FloatRange,
    convert: fn(f64) -> T,
}

impl<T: Float> Floats<T> {
    /// Generates the same floats, with `towards` as the simplest. `towards` and the previous
    /// simplest float change places in the order and in bytes.
    ///
    /// Unlike integers, floats near `towards` are no simpler than others, because hardly any of
    /// them is short.
    ///
    /// # Panics
    /// If `towards` is not in the range.
    #[must_use]
    #[track_caller]
    pub fn shrink_towards(self, towards: T) -> Towards<Floats<T>> {
        let range = &self.range;
        require!(
            range.allows(towards.into()),
            "{towards:?} is not in the range {:?} to {:?}, so nothing shrinks towards it",
            range.min,
            range.max
        );
        let simplest = (self.convert)(range.simplest());
        // Compares bits: 0.0 differs from -0.0, and a NaN equals itself.
        Towards {
            inner: self,
            simplest,
            towards,
            same: |one, other| one.into().to_bits() == other.into().to_bits(),
        }
    }
}

impl<T: Float> Generator for Floats<T> {
    type Value = T;

    fn generate(&self, tc: &mut TestCase) -> T {
        (self.convert)(tc.float(&self.range))
    }
}

/// A primitive float type: `f32` or `f64`.
pub trait Float: Copy + Into<f64> + std::fmt::Debug + sealed::Sealed {
    #[doc(hidden)]
    const BYTES: u8;
    #[doc(hidden)]
    fn from_wide(wide: f64) -> Self;
    #[doc(hidden)]
    fn next_up_wide(self) -> f64;
    #[doc(hidden)]
    fn next_down_wide(self) -> f64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Float for f32 {
    const BYTES: u8 = 4;

    fn from_wide(wide: f64) -> f32 {
        wide as f32
    }

    fn next_up_wide(self) -> f64 {
        self.next_up().into()
    }

    fn next_down_wide(self) -> f64 {
        self.next_down().into()
    }
}

impl Float for f64 {
    const BYTES: u8 = 8;

    fn from_wide(wide: f64) -> f64 {
        wide
    }

    fn next_up_wide(self) -> f64 {
        self.next_up()
    }

    fn next_down_wide(self) -> f64 {
        self.next_down()
    }
}

//! The primitive integers, each decoded in its own width.
#![expect(clippy::cast_lossless, reason = "one text for all widths, the widest included")]

use crate::choice::{IntegerRange, Role};
use crate::codec::ByteReader;
use crate::misuse::require;
use crate::shares::Shares;

/// A primitive integer type. `usize` and `isize` count as 64 bits wide, the only width that this
/// crate runs on.
///
/// Exactly the twelve primitive types implement this trait.
pub trait Integer: Copy + Ord + std::fmt::Debug + sealed::Sealed + 'static {
    /// The least value of the type.
    const MIN: Self;
    /// The greatest value of the type.
    const MAX: Self;

    /// Reads one integer of `min..=max`, see the [byte format](crate::codec).
    #[doc(hidden)]
    #[track_caller]
    fn decode(reader: &mut ByteReader, min: Self, max: Self) -> Self;

    /// Converts the value to the form in a choice.
    #[doc(hidden)]
    fn to_wide(self) -> i128;

    /// Converts the value back from the form in a choice.
    #[doc(hidden)]
    fn from_wide(wide: i128) -> Self;

    /// The next greater value.
    #[doc(hidden)]
    fn successor(self) -> Option<Self>;

    /// The next smaller value.
    #[doc(hidden)]
    fn predecessor(self) -> Option<Self>;

    /// The range `min..=max` as a constraint.
    #[doc(hidden)]
    #[track_caller]
    fn range(min: Self, max: Self, role: Role) -> IntegerRange;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($type:ident $unsigned:ident $bytes:literal $signed:literal;)*) => {$(
        impl sealed::Sealed for $type {}

        impl Integer for $type {
            const MIN: Self = <$type>::MIN;
            const MAX: Self = <$type>::MAX;

            #[inline]
            #[track_caller]
            fn decode(reader: &mut ByteReader, min: Self, max: Self) -> Self {
                let width = max.wrapping_sub(min) as $unsigned;
                if width as u128 > 0xFF {
                    let raw = <$type>::from_le_bytes(reader.array::<$bytes>());
                    return if min <= raw && raw <= max {
                        raw
                    } else {
                        Self::wrapped(raw as $unsigned, min, max)
                    };
                }
                let byte = reader.byte();
                let (in_place, raw) = if $signed && (min as i128) < 0 {
                    ((min as i128) >= -0x80 && (max as i128) <= 0x7F, byte as i8 as $type)
                } else {
                    (max as u128 <= 0xFF, byte as $type)
                };
                if in_place && min <= raw && raw <= max {
                    raw
                } else {
                    Self::wrapped(byte as $unsigned, min, max)
                }
            }

            #[inline]
            fn to_wide(self) -> i128 {
                if $bytes == 16 && !$signed { (self as i128) ^ i128::MIN } else { self as i128 }
            }

            #[inline]
            fn from_wide(wide: i128) -> Self {
                if $bytes == 16 && !$signed { (wide ^ i128::MIN) as $type } else { wide as $type }
            }

            fn successor(self) -> Option<Self> {
                self.checked_add(1)
            }

            fn predecessor(self) -> Option<Self> {
                self.checked_sub(1)
            }

            #[track_caller]
            fn range(min: Self, max: Self, role: Role) -> IntegerRange {
                IntegerRange {
                    min: min.to_wide(),
                    max: max.to_wide(),
                    towards: nearest_to_zero(0 as $type, min, max).to_wide(),
                    type_bytes: $bytes,
                    offset: $bytes == 16 && !$signed,
                    role,
                    shares: Shares::EQUAL,
                }
            }
        }

        impl Wrapped for $type {
            type Raw = $unsigned;

            /// The value `raw` steps above the simplest value. After the upper end, the steps
            /// continue at the lower end.
            #[inline]
            #[track_caller]
            fn wrapped(raw: $unsigned, min: $type, max: $type) -> $type {
                let simplest = nearest_to_zero(0 as $type, min, max);
                // This cannot overflow: the range leaves out some value of the type. The only full
                // range of one byte holds every raw byte, so it never comes here.
                let steps = raw % ((max.wrapping_sub(min) as $unsigned) + 1);
                let above = max.wrapping_sub(simplest) as $unsigned;
                if steps <= above {
                    simplest.wrapping_add(steps as $type)
                } else {
                    min.wrapping_add((steps - above - 1) as $type)
                }
            }
        }
    )*};
}

trait Wrapped {
    type Raw;
    #[track_caller]
    fn wrapped(raw: Self::Raw, min: Self, max: Self) -> Self;
}

#[inline]
#[track_caller]
fn nearest_to_zero<T: Integer>(zero: T, min: T, max: T) -> T {
    require!(min <= max, "the range {min:?} to {max:?} holds no integer");
    zero.clamp(min, max)
}

integers! {
    u8 u8 1 false;
    u16 u16 2 false;
    u32 u32 4 false;
    u64 u64 8 false;
    u128 u128 16 false;
    usize usize 8 false;
    i8 u8 1 true;
    i16 u16 2 true;
    i32 u32 4 true;
    i64 u64 8 true;
    i128 u128 16 true;
    isize usize 8 true;
}

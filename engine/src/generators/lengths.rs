//! What `.len(..)` takes: one length, or a range of lengths.

use std::ops::{
    Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

use crate::choice::Length;
use crate::misuse::misuse;

/// The lengths that a generator may give its values: `5`, `..5`, `1..=5` or another range of
/// `usize`.
///
/// ```
/// use dwindle::prelude::*;
/// # use dwindle_engine as dwindle;
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_bytes(&[], 100);
///
/// let code = tc.draw(g::text().len(4));
/// assert_eq!(code.chars().count(), 4);
/// let words = tc.draw(g::vec(g::text().len(1..=9)).len(..100));
/// # assert_eq!(words, Vec::<String>::new());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a length",
    label = "not a length",
    note = "write a number of type `usize` or a range of them: `5`, `..5` or `1..=5`"
)]
pub trait Lengths: sealed::Sealed {
    #[doc(hidden)]
    fn bounds(self) -> (Bound<usize>, Bound<usize>);
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for usize {}

impl Lengths for usize {
    #[inline]
    fn bounds(self) -> (Bound<usize>, Bound<usize>) {
        (Bound::Included(self), Bound::Included(self))
    }
}

macro_rules! ranges {
    ($($range:ty),*) => {$(
        impl sealed::Sealed for $range {}

        impl Lengths for $range {
            #[inline]
            fn bounds(self) -> (Bound<usize>, Bound<usize>) {
                (self.start_bound().cloned(), self.end_bound().cloned())
            }
        }
    )*};
}

ranges! {
    Range<usize>,
    RangeInclusive<usize>,
    RangeFrom<usize>,
    RangeTo<usize>,
    RangeToInclusive<usize>,
    RangeFull,
    (Bound<usize>, Bound<usize>)
}

/// The least and the greatest of these lengths.
#[inline]
#[track_caller]
pub(super) fn length_of(lengths: impl Lengths) -> Length {
    let (start, end) = lengths.bounds();
    let min = match start {
        Bound::Included(min) => min,
        Bound::Excluded(below) => below.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let max = match end {
        Bound::Included(max) => Some(max),
        Bound::Excluded(above) => above.checked_sub(1),
        Bound::Unbounded => Some(usize::MAX),
    };
    match max {
        Some(max) if min <= max => Length { min, max },
        _ => misuse(format_args!(
            "the range {start:?} to {end:?} holds no length: its end must lie above its start, or \
             on it with `..=`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_every_range_are_lengths() {
        let of = |(min, max)| Length { min, max };
        assert_eq!(length_of(5), of((5, 5)));
        assert_eq!(length_of(2..5), of((2, 4)));
        assert_eq!(length_of(2..=5), of((2, 5)));
        assert_eq!(length_of(..5), of((0, 4)));
        assert_eq!(length_of(..=5), of((0, 5)));
        assert_eq!(length_of(5..), of((5, usize::MAX)));
        assert_eq!(length_of(..), of((0, usize::MAX)));
        assert_eq!(length_of((Bound::Excluded(2), Bound::Included(5))), of((3, 5)));
    }
}

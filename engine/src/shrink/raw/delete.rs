//! Deletes bytes anywhere.

use super::super::gallop::Gallop;
use super::super::search::{Fruitless, Search};
use super::{input, length, put, put_without};

/// How many calls in a row may find nothing.
const FRUITLESS: u64 = 3000;
/// The same limit for a pass that seldom finds anything.
const FRUITLESS_PAIRS: u64 = 500;
/// The longest piece that the pass tries at every place.
const UNIT_MAX: usize = 16;
/// How long a piece may be that the pass deletes together with another.
const PAIR_MAX: usize = 9;
/// Longer inputs have too many pairs of places.
const PAIRS_LENGTH_MAX: usize = 64;

/// Deletes blocks of half the length, then of half of that, down to single bytes, from the back to
/// the front.
pub(super) fn blocks(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    let mut size = length(search).next_power_of_two() / 2;
    while size > 0 && !fruitless.is_enough(search) {
        let mut end = length(search);
        while end > 0 && !fruitless.is_enough(search) {
            let start = end.saturating_sub(size);
            put_without(search, start..end);
            end = start.min(length(search));
        }
        size /= 2;
    }
}

/// Deletes pieces of each length up to [`UNIT_MAX`], at every place. A unit of the target may also
/// begin at a place that is no multiple of its length.
pub(super) fn units(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    let mut end = length(search);
    while end > 0 && !fruitless.is_enough(search) {
        for width in 1..=UNIT_MAX.min(end) {
            // Where one piece goes, its neighbours of the same length may go with it.
            let mut gallop = Gallop::new();
            while let Some(count) = gallop.step() {
                let gone = width.saturating_mul(count);
                let went = gone <= end && put_without(search, end - gone..end);
                if went {
                    end -= gone;
                }
                gallop.went(went);
            }
        }
        end = end.saturating_sub(1).min(length(search));
    }
}

/// Deletes two pieces at once where neither can go alone: the bytes in front of a part and the
/// bytes that close it.
pub(super) fn pairs(search: &mut Search<'_>) {
    if length(search) > PAIRS_LENGTH_MAX {
        return;
    }
    let mut fruitless = Fruitless::new(search, FRUITLESS_PAIRS);
    for width in 1..=PAIR_MAX {
        for other in 1..=width {
            let mut end = length(search);
            while end > 0 && !fruitless.is_enough(search) {
                for start in (0..end.saturating_sub(width)).rev() {
                    for (first, second) in [(other, width), (width, other)] {
                        two(search, start, first, end, second);
                    }
                }
                end = (end - 1).min(length(search));
            }
        }
    }
}

fn two(search: &mut Search<'_>, start: usize, first: usize, end: usize, second: usize) {
    let input = input(search);
    if start + first + second <= end && end <= input.len() {
        put(search, [&input[..start], &input[start + first..end - second], &input[end..]]);
    }
}

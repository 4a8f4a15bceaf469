//! Puts pieces of the input in the place of others.

use super::super::search::{Fruitless, Search};
use super::{input, length, put};

const FRUITLESS: u64 = 400;
/// The greatest length of a piece.
const PIECE_MAX: usize = 9;
/// Longer inputs have too many pairs of places.
const LENGTH_MAX: usize = 128;

/// Replaces a piece by another that stands elsewhere: by a simpler one of the same length, or else
/// by a shorter one.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for (width, other) in [(1, 1), (2, 2), (4, 4), (8, 8)]
        .into_iter()
        .chain((2..=PIECE_MAX).flat_map(|width| (1..width).map(move |other| (width, other))))
    {
        let mut at = length(search).min(LENGTH_MAX);
        while at > 0 && !fruitless.is_enough(search) {
            at -= 1;
            for from in 0..length(search) {
                let bytes = input(search);
                // A copy that overlaps is a deletion, and other passes tried those.
                let overlaps = from < at + width && at < from + other;
                if at + width > bytes.len()
                    || from + other > bytes.len()
                    || overlaps
                    || bytes[at..at + width].iter().all(|byte| *byte == 0)
                {
                    continue;
                }
                put(search, [&bytes[..at], &bytes[from..from + other], &bytes[at + width..]]);
                if fruitless.is_enough(search) {
                    return;
                }
            }
        }
    }
}

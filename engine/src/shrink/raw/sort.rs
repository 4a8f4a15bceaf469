//! Changes the order of pieces.

use super::super::search::{Fruitless, Search};
use super::{input, length, put};

const FRUITLESS: u64 = 400;
/// The greatest length of a piece.
const PIECE_MAX: usize = 16;

/// Swaps neighbouring pieces of one length that are out of order.
pub(super) fn neighbours(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for width in 1..=PIECE_MAX {
        let mut improved = true;
        while improved {
            let improvements = search.improvements();
            for at in (0..(length(search) + 1).saturating_sub(2 * width)).rev() {
                let bytes = input(search);
                let (one, other) = bytes[at..at + 2 * width].split_at(width);
                put(search, [&bytes[..at], other, one, &bytes[at + 2 * width..]]);
                if fruitless.is_enough(search) {
                    return;
                }
            }
            improved = search.improvements() > improvements;
        }
    }
}

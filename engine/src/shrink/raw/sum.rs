//! Changes two numbers and keeps their sum.

use super::super::least::least;
use super::super::search::{Fruitless, Search};
use super::{input, length, put, word};

const FRUITLESS: u64 = 400;
/// Longer inputs have too many pairs of places.
const LENGTH_MAX: usize = 96;

/// Moves as much as possible from the number further behind to the one in front of it.
pub(super) fn moved(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for width in [1, 2, 4, 8] {
        let ends: Vec<usize> = (width..=length(search).min(LENGTH_MAX)).rev().collect();
        for (index, end) in ends.iter().enumerate() {
            for other in &ends[(index + width).min(ends.len())..] {
                from_to(search, end - width, other - width, width);
                if fruitless.is_enough(search) {
                    return;
                }
            }
        }
    }
}

fn from_to(search: &mut Search<'_>, from: usize, to: usize, width: usize) {
    let bytes = input(search);
    // A zero is hardly a partner, and single bytes are too many to try all of them.
    if bytes[from + width - 1] == 0 || bytes[to + width - 1] == 0 && width == 1 {
        return;
    }
    let (high, partner) = (word(&bytes, from, width), word(&bytes, to, width));
    least(u128::from(high) + 1, &mut |left| {
        let moved = high - (left as u64 - 1);
        let (front, back) =
            (partner.wrapping_add(moved).to_le_bytes(), (high - moved).to_le_bytes());
        moved > 0
            && put(
                search,
                [
                    &bytes[..to],
                    &front[..width],
                    &bytes[to + width..from],
                    &back[..width],
                    &bytes[from + width..],
                ],
            )
    });
}

//! Lowers two numbers that must stay equal, or some steps apart.

use super::super::least::least;
use super::super::search::{Fruitless, Search};
use super::{input, length, put, word};

const FRUITLESS: u64 = 400;
/// Longer inputs have too many pairs of places.
const LENGTH_MAX: usize = 128;

/// Sets equal numbers to zero, all of them at once, or else two at a time.
pub(super) fn zeroed(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for width in [8, 4, 2, 1] {
        let mut at = length(search).min(LENGTH_MAX);
        while at > 0 && !fruitless.is_enough(search) {
            at -= 1;
            let bytes = input(search);
            if at + width > bytes.len() || bytes[at..at + width].iter().all(|byte| *byte == 0) {
                continue;
            }
            let places = equal(&bytes, at, width);
            let pairs = places.iter().map(|place| vec![at, *place]);
            for places in std::iter::once([&[at], &places[..]].concat())
                .chain(pairs)
                .filter(|places| places.len() > 1)
            {
                let mut bytes = bytes.to_vec();
                for place in places {
                    bytes[place..place + width].fill(0);
                }
                put(search, [&bytes]);
            }
        }
    }
}

/// Lowers three or more equal numbers together. The group begins with the last of them, then with
/// the one in front of it, because a number behind the others may be their count.
pub(super) fn together(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for width in [1, 2, 4, 8] {
        for at in (0..length(search).min(LENGTH_MAX)).rev() {
            let bytes = input(search);
            if at + width > bytes.len() || bytes[at + width - 1] == 0 {
                continue;
            }
            let places = equal(&bytes, at, width);
            if places.len() > 1 {
                least(u128::from(word(&bytes, at, width)), &mut |low| {
                    let mut bytes = bytes.to_vec();
                    for place in places.iter().chain([&at]) {
                        bytes[*place..place + width]
                            .copy_from_slice(&(low as u64).to_le_bytes()[..width]);
                    }
                    put(search, [&bytes])
                });
            }
            if fruitless.is_enough(search) {
                return;
            }
        }
    }
}

/// The longest record whose fields [`fields`] lowers.
const RECORD_MAX: usize = 16;

/// Lowers the same byte of each record in a row by one amount. Records have the same length, and
/// the last of them may be cut short.
pub(super) fn fields(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for step in 2..=RECORD_MAX {
        for first in 0..length(search).min(LENGTH_MAX) {
            let bytes = input(search);
            let places: Vec<usize> =
                (first..bytes.len()).step_by(step).take_while(|at| bytes[*at] > 0).collect();
            let Some(room) = places.iter().map(|at| bytes[*at]).min() else { continue };
            if places.len() > 2 {
                least(u128::from(room) + 1, &mut |left| {
                    let less = room - (left as u8 - 1);
                    let mut bytes = bytes.to_vec();
                    for at in &places {
                        bytes[*at] -= less;
                    }
                    less > 0 && put(search, [&bytes])
                });
            }
            if fruitless.is_enough(search) {
                return;
            }
        }
    }
}

/// The places further in front where the same bytes stand as at `at`.
fn equal(bytes: &[u8], at: usize, width: usize) -> Vec<usize> {
    let mut places: Vec<usize> = Vec::new();
    for place in (0..(at + 1).saturating_sub(width)).rev() {
        if bytes[place..place + width] == bytes[at..at + width]
            && places.last().is_none_or(|last| place + width <= *last)
        {
            places.push(place);
        }
    }
    places
}

/// Lowers two numbers by the same amount: by the whole smaller number, or else by as much as
/// possible.
pub(super) fn lowered(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for width in [1, 2, 4, 8] {
        let ends: Vec<usize> = (width..=length(search).min(LENGTH_MAX)).rev().collect();
        for (index, end) in ends.iter().enumerate() {
            for other in &ends[(index + width).min(ends.len())..] {
                both(search, end - width, other - width, width);
                if fruitless.is_enough(search) {
                    return;
                }
            }
        }
    }
}

fn both(search: &mut Search<'_>, at: usize, other: usize, width: usize) {
    let bytes = input(search);
    if bytes[at + width - 1] == 0 && width > 1 || at + width > bytes.len() {
        return;
    }
    let (high, other_high) = (word(&bytes, at, width), word(&bytes, other, width));
    let room = high.min(other_high);
    // Zero is the simplest, so the pass looks for the least amount that is left.
    least(u128::from(room) + 1, &mut |left| {
        let less = room - (left as u64 - 1);
        let (front, back) = ((other_high - less).to_le_bytes(), (high - less).to_le_bytes());
        less > 0
            && put(
                search,
                [
                    &bytes[..other],
                    &front[..width],
                    &bytes[other + width..at],
                    &back[..width],
                    &bytes[at + width..],
                ],
            )
    });
}

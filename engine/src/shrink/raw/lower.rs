//! Lowers numbers: single bytes, and little-endian ones of two, four and eight bytes.

use super::super::least::least;
use super::super::search::{Fruitless, Search};
use super::{WIDTHS, input, length, put, put_at, word};

const FRUITLESS: u64 = 1000;
/// The same limit for a pass that seldom finds anything.
const FRUITLESS_PAIRS: u64 = 500;
/// How many bytes right behind a lowered number may go with it.
const BEHIND_MAX: usize = 16;

/// Lowers each byte to the least value that still fails, from the last to the first. Flags end at
/// 1.
pub(super) fn bytes(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for at in (0..length(search)).rev() {
        let byte = input(search)[at];
        if byte > 0 && !put_at(search, at, &[0]) {
            least(u128::from(byte), &mut |low| put_at(search, at, &[low as u8]));
        }
        if fruitless.is_enough(search) {
            return;
        }
    }
}

/// Lowers each number whose least byte is zero and whose greatest byte is not. [`bytes`] lowers
/// single bytes, so it misses steps that borrow from a higher byte.
pub(super) fn words(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for width in WIDTHS {
        for at in (0..(length(search) + 1).saturating_sub(width)).rev() {
            let bytes = input(search);
            if bytes[at] != 0 || bytes[at + width - 1] == 0 {
                continue;
            }
            let set =
                |search: &mut Search<'_>, low: u64| put_at(search, at, &low.to_le_bytes()[..width]);
            least(u128::from(word(&bytes, at, width)), &mut |low| set(search, low as u64));
            if fruitless.is_enough(search) {
                return;
            }
        }
    }
}

/// Lowers a byte, or a number of four bytes, and deletes the bytes right behind it that are no
/// longer read. Examples are a count with what it counts, and a variant with its fields.
pub(super) fn with_deletion(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_PAIRS);
    let mut at = length(search);
    while at > 0 {
        at -= 1;
        for width in [1, 4] {
            let bytes = input(search);
            if at + width >= bytes.len() || bytes[at + width - 1] == 0 {
                continue;
            }
            let high = word(&bytes, at, width);
            let half = high / 2;
            for low in [0, 1, half, high - 1] {
                for behind in 1..=BEHIND_MAX.min(bytes.len() - at - width) {
                    if put(
                        search,
                        [&bytes[..at], &low.to_le_bytes()[..width], &bytes[at + width + behind..]],
                    ) {
                        at = at.min(length(search).saturating_sub(1));
                        break;
                    }
                }
                if length(search) < bytes.len() {
                    break;
                }
            }
            if fruitless.is_enough(search) {
                return;
            }
        }
    }
}

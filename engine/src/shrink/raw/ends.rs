//! Cuts bytes off both ends, or keeps only bytes at both ends.

use super::super::search::Search;
use super::{input, length, put, put_without};

/// The smallest share of the input that [`kept`] keeps is one in this many.
const PARTS_MAX: usize = 64;
/// In how many places [`kept`] may divide what it keeps.
const PLACES: usize = 16;
/// How many bytes [`kept`] keeps at least. Other passes delete nearly as much of shorter inputs.
const KEPT_MIN: usize = 16;

/// Cuts as many bytes as possible off the back, then off the front. The pieces have half the length
/// first, then half of that.
pub(super) fn cut(search: &mut Search<'_>) {
    if put(search, []) {
        return;
    }
    for is_front in [false, true] {
        let mut size = length(search).next_power_of_two() / 2;
        while size > 0 && !search.is_stopped() {
            let length = length(search);
            let gone = if is_front { 0..size } else { length.saturating_sub(size)..length };
            if size >= length || !put_without(search, gone) {
                size /= 2;
            }
        }
    }
}

/// Keeps one half of the input, then a quarter, and so on: some of it at the front, the rest at the
/// back.
///
/// Where a target reads its parts one after the other, a deletion changes all parts behind it. The
/// candidate is then as good as a new random input, and few of these fail. So a deletion should be
/// large, and should be tried in many places.
pub(super) fn kept(search: &mut Search<'_>) {
    let mut parts = 2;
    while parts <= PARTS_MAX {
        let bytes = input(search);
        let kept = bytes.len() / parts;
        if kept < KEPT_MIN || search.is_stopped() {
            return;
        }
        let found = (0..=PLACES).any(|place| {
            let front = kept * place / PLACES;
            put(search, [&bytes[..front], &bytes[bytes.len() - (kept - front)..]])
        });
        if !found {
            parts *= 2;
        }
    }
}

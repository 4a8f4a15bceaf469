//! Cuts bytes off both ends, or keeps only bytes at both ends.

use super::super::kept::part;
use super::super::search::Search;
use super::{input, length, put, put_without};

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

/// Keeps a small part of the input: some of it at the front, the rest at the back.
pub(super) fn kept(search: &mut Search<'_>) {
    part(search, KEPT_MIN, length, |search, front, back| {
        let bytes = input(search);
        put(search, [&bytes[..front], &bytes[bytes.len() - back..]])
    });
}

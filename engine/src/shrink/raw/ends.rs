//! Cuts bytes off both ends.

use super::super::search::Search;
use super::{length, put, put_without};

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

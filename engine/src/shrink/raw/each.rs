//! Tries what is smaller one by one.

use super::super::search::Search;
use super::{input, length, put_at};

/// Every lower value of every byte, from the last byte to the first: a byte whose bits mean different things has no order to bisect.
pub(super) fn byte(search: &mut Search<'_>) {
    for at in (0..length(search)).rev() {
        for low in 1..input(search)[at] {
            if search.is_stopped() || put_at(search, at, &[low]) {
                break;
            }
        }
    }
}

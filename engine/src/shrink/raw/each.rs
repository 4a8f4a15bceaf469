//! Tries smaller inputs one by one.

use super::super::search::Search;
use super::{input, length, put_at};

/// Tries every byte with one of its bits cleared and with the least values, from the last byte to
/// the first. Where bits mean different things, or values have no order, bisection finds nothing.
pub(super) fn byte(search: &mut Search<'_>) {
    for at in (0..length(search)).rev() {
        let byte = input(search)[at];
        let cleared = (0..8).rev().map(|bit| byte & !(1 << bit));
        for low in (2..LEAST.min(byte)).chain(cleared.filter(|low| *low < byte)) {
            if search.is_stopped() || put_at(search, at, &[low]) {
                break;
            }
        }
    }
}

/// The pass tries all values below this one.
const LEAST: u8 = 17;

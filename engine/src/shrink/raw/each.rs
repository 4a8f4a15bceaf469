//! Tries what is smaller one by one.

use super::super::search::Search;
use super::{input, length, put_at};

/// Every byte with one of its bits cleared, and the least values of all, from the last byte to the first: where bits mean different things, and where values have
/// no order, there is nothing to bisect.
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

/// Lesser values than this are tried one by one.
const LEAST: u8 = 17;

//! Finds the least number that still fails.

/// Returns the least number for which `holds`, as far as bisection finds it. The caller knows that
/// `high` holds and that 0 does not.
///
/// One step down decides whether there is anything to find. For large numbers, a second probe shows
/// whether another number holds this one in place. After that, small numbers are likelier than
/// large ones. The first of 2, 8, 128, 2^15, .. that holds therefore bounds the bisection.
pub(super) fn least(high: u128, holds: &mut dyn FnMut(u128) -> bool) -> u128 {
    if high <= 1 {
        return high;
    }
    if holds(1) {
        return 1;
    }
    if high == 2 || !holds(high - 1) {
        return high;
    }
    let (mut low, mut high) = (1, high - 1);
    if high > FAR {
        let near = high - NEAR;
        if holds(near) { high = near } else { low = near }
    }
    for bits in [1, 3, 7, 15, 31, 63] {
        let probe = 1 << bits;
        if probe >= high / 2 {
            break;
        }
        if probe <= low {
            continue;
        }
        if holds(probe) {
            high = probe;
            break;
        }
        low = probe;
    }
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// If another number holds a number in place, the number is mostly less than this far above the
/// least that holds.
const NEAR: u128 = 8;
/// Only a number above this one is worth the second probe.
const FAR: u128 = 64;

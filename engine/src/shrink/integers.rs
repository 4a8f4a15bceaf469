//! Lowers one integer after another to the least distance that still fails.

use super::place::Number;
use super::search::Search;
use super::together::with_nearest;
use crate::choice::Value;

/// Each integer by itself, the other side first.
pub(super) fn each(search: &mut Search<'_>) {
    let mut at = 0;
    while at < search.len() && !search.is_stopped() {
        if let Some(number) = Number::of(&search.choices()[at])
            && number.distance() > 0
        {
            one(search, at, number);
        }
        at += 1;
    }
}

fn one(search: &mut Search<'_>, at: usize, number: Number) {
    let set = |search: &mut Search<'_>, value: Option<Value>| value.is_some_and(|value| set(search, at, value));
    if set(search, number.on_side(0, false)) {
        return;
    }
    let mut number = number;
    if number.is_below() && set(search, number.on_side(number.distance(), false)) {
        let Some(turned) = search.choices().get(at).and_then(Number::of) else { return };
        number = turned;
    }
    let distance = least(number.distance(), |distance| set(search, number.at(distance)));
    // The other side counts as simpler only one step nearer.
    if distance > 1 && !number.is_below() {
        set(search, number.on_side(1, true));
        set(search, number.on_side(distance - 1, true));
    }
    if distance > 8 && distance > number.distance() / 2 {
        with_nearest(search, at);
    }
}

/// Sets one value; whether that holds.
pub(super) fn set(search: &mut Search<'_>, at: usize, value: Value) -> bool {
    search
        .attempt(|best, candidate| {
            candidate.extend(best.choices.iter().map(|choice| choice.value.clone()));
            if let Some(place) = candidate.get_mut(at) {
                *place = value;
            }
        })
        .holds()
}

/// The least number for which `holds`, as far as bisection finds it, knowing that `high` holds and 0 does not.
pub(super) fn least(high: u128, mut holds: impl FnMut(u128) -> bool) -> u128 {
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

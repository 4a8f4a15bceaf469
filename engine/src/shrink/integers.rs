//! Lowers one integer after another to the least distance that still fails.

use super::place::Number;
use super::search::Search;
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
        let Some(turned) = Number::of(&search.choices()[at]) else { return };
        number = turned;
    }
    let distance = least(number.distance(), |distance| set(search, number.at(distance)));
    // What was not monotone may still fail at a small value.
    for small in 1..=4 {
        if small < distance && set(search, number.at(small)) {
            break;
        }
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

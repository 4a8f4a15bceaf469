//! Lowers one integer after another to the least distance that still fails.

use super::least::least;
use super::place::Number;
use super::search::{Fruitless, Search, Verdict};
use super::together::with_nearest;
use crate::choice::Value;

/// Lowers each integer by itself. If several integers of one range are stuck at one value, they
/// stand for the rest of them.
pub(super) fn each(search: &mut Search<'_>) {
    let mut stuck: Vec<(Number, u32)> = Vec::new();
    let mut at = 0;
    while at < search.len() && !search.is_stopped() {
        if let Some(number) = Number::of(&search.choices()[at])
            && number.distance() > 0
        {
            let known = stuck.iter().position(|(other, _)| *other == number);
            if known.is_none_or(|known| stuck[known].1 < STUCK_MAX) {
                let improvements = search.improvements();
                one(search, at, number);
                match known {
                    _ if search.improvements() > improvements => {}
                    Some(known) => stuck[known].1 += 1,
                    None if stuck.len() < VALUES_MAX => stuck.push((number, 1)),
                    None => {}
                }
            }
        }
        at += 1;
    }
}

const STUCK_MAX: u32 = 8;
/// How many different values the pass remembers.
const VALUES_MAX: usize = 64;

fn one(search: &mut Search<'_>, at: usize, number: Number) {
    let set = |search: &mut Search<'_>, value: Option<Value>| {
        value.is_some_and(|value| search.set(&[(at, value)]).holds())
    };
    if set(search, number.on_side(0, false)) {
        return;
    }
    let mut number = number;
    if number.is_below() && set(search, number.on_side(number.distance(), false)) {
        let Some(turned) = search.choices().get(at).and_then(Number::of) else { return };
        number = turned;
    }
    // A neighbour may already have one of the two values next to the simplest, so both are tried.
    if number.distance() > 1
        && [false, true].into_iter().any(|below| set(search, number.on_side(1, below)))
    {
        return;
    }
    let mut distance = number.distance();
    loop {
        distance = least(distance, &mut |distance| set(search, number.at(distance)));
        let Some(lower) = past_others(search, at, number, distance) else { break };
        distance = lower;
    }
    // The other side is simpler if it is one step nearer.
    if distance > 2 && !number.is_below() {
        set(search, number.on_side(distance - 1, true));
    }
    if distance > 8 && distance > number.distance() / 2 {
        with_nearest(search, at);
    }
}

/// Searches past another bug that lies right below `distance`. Returns the first distance behind
/// it, in growing steps down, that fails with the origin.
///
/// A candidate that passes ends the search, as everywhere. A candidate that fails otherwise says
/// nothing about the values below it.
fn past_others(search: &mut Search<'_>, at: usize, number: Number, distance: u128) -> Option<u128> {
    let mut step = 1;
    while search.has_met_others() && step < distance && !search.is_stopped() {
        let lower = distance - step;
        if search.set(&[(at, number.at(lower)?)]).holds() {
            return Some(lower);
        }
        if !search.trial_failed_otherwise() {
            return None;
        }
        step += step.div_ceil(2);
    }
    None
}

/// Turns all numbers that lie below the value they shrink towards to the other side at once. Where
/// the range is too short, the number becomes the greatest of its range.
pub(super) fn turned(search: &mut Search<'_>) {
    let turned = |number: Number| {
        let greatest =
            Some(number.range.max).filter(|max| *max > number.range.towards).map(Value::Integer);
        number.on_side(number.distance(), false).or(greatest)
    };
    let below = search.choices().iter().enumerate().filter_map(|(at, choice)| {
        Some((at, Number::of(choice).filter(|number| number.is_below())?))
    });
    let changes: Vec<(usize, Value)> =
        below.filter_map(|(at, number)| Some((at, turned(number)?))).collect();
    if changes.len() > 1 {
        search.set(&changes);
    }
}

/// Lowers each integer in larger steps, for numbers that cannot go down by one. The failure may
/// depend on the last bits of a number, or on its divisors.
pub(super) fn coarse(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, COARSE_FRUITLESS_MAX);
    let mut at = 0;
    while at < search.len() && !fruitless.is_enough(search) {
        if number(search, at).is_some_and(|number| number.distance() > COARSE_MIN) {
            let lower = |search: &mut Search<'_>, to: &dyn Fn(u128) -> u128| {
                let better = number(search, at)
                    .filter(|number| number.distance() > 0)
                    .and_then(|number| number.at(to(number.distance())));
                better.is_some_and(|value| search.set(&[(at, value)]) == Verdict::Better)
            };
            while lower(search, &|distance| distance & !(1 << distance.ilog2())) {}
            for divisor in [2, 3, 5] {
                while lower(search, &|distance| distance / divisor) {}
            }
            for step in STEPS {
                let mut taken = step;
                while lower(search, &|distance| distance.saturating_sub(taken)) {
                    taken *= 2;
                }
                while taken >= step {
                    if !lower(search, &|distance| distance.saturating_sub(taken)) {
                        taken /= 2;
                    }
                }
            }
        }
        at += 1;
    }
}

/// Subtracts steps of many sizes from each integer, including those of strings and whole floats.
/// The failure may depend on a remainder, or on some bits of a number.
pub(super) fn steps(search: &mut Search<'_>) {
    search.in_parts(|search| {
        let mut fruitless = Fruitless::new(search, STEPS_FRUITLESS_MAX);
        let mut at = 0;
        while at < search.len() && !fruitless.is_enough(search) {
            let bits = number(search, at)
                .map_or(0, |number| number.distance().checked_ilog2().unwrap_or(0));
            let steps = (2..=STEP_MAX).chain((7..bits).map(|bit| 1 << bit));
            for step in steps {
                let mut taken = step;
                while step_down(search, at, taken) {
                    taken *= 2;
                }
                while taken > step {
                    taken /= 2;
                    step_down(search, at, taken);
                }
                if fruitless.is_enough(search) {
                    break;
                }
            }
            at += 1;
        }
    });
}

const STEP_MAX: u128 = 64;
const STEPS_FRUITLESS_MAX: u64 = 800;

fn step_down(search: &mut Search<'_>, at: usize, step: u128) -> bool {
    let lower =
        number(search, at).and_then(|number| number.at(number.distance().checked_sub(step)?));
    lower.is_some_and(|value| search.set(&[(at, value)]) == Verdict::Better)
}

/// Tries the simplest values of each large integer one after the other, including the integers of
/// strings and whole floats. If there are fewer integers, each gets more values. The failure may
/// need a value to which no other value leads, such as a special character.
pub(super) fn scan(search: &mut Search<'_>) {
    search.in_parts(|search| {
        let large = |at: &usize| number(search, *at).is_some_and(|n| n.distance() > COARSE_MIN);
        let numbers = (0..search.len()).filter(large).count() as u128;
        let each = SCAN_MAX / numbers.max(1);
        if each < SCAN_EACH_MIN {
            return;
        }
        let mut at = 0;
        while at < search.len() && !search.is_stopped() {
            let lower = number(search, at).filter(|number| number.distance() > COARSE_MIN);
            if let Some(number) = lower {
                (0..number.distance().min(each))
                    .filter_map(|distance| number.at(distance))
                    .any(|value| search.set(&[(at, value)]) == Verdict::Better);
            }
            at += 1;
        }
    });
}

/// How many values [`scan`] tries in all.
const SCAN_MAX: u128 = 1200;
/// If [`scan`] cannot try this many values of each integer, it tries none.
const SCAN_EACH_MIN: u128 = 128;

/// Other passes try numbers up to this distance in small steps.
const COARSE_MIN: u128 = 16;
const COARSE_FRUITLESS_MAX: u64 = 60;
const STEPS: [u128; 7] = [2, 3, 4, 5, 6, 7, 8];

fn number(search: &Search<'_>, at: usize) -> Option<Number> {
    search.choices().get(at).and_then(Number::of)
}

//! Changes several characters at once, of one string or of several, or characters and a number. A
//! single one of these changes does not fail.

use super::least::least;
use super::place::Number;
use super::search::{Fruitless, Search};
use super::strings::{string, units};
use crate::choice::Value;

/// How many calls without an improvement end a pass.
const FRUITLESS_MAX: u64 = 60;
/// In longer strings, the pass takes only neighbours and mirrored places as pairs.
const ALL_PAIRS_MAX: usize = 8;
/// How many characters, from the last one on, the pass tries with each number.
const PLACES_MAX: usize = 6;
/// How many numbers before and behind a string may count its characters.
const NEAR: usize = 2;

/// Deletes two characters of one string.
pub(super) fn pairs(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    each_string(search, |search, at| {
        let mut again = true;
        while again && !fruitless.is_enough(search) {
            let units = units_at(search, at);
            again = two_of(units.len()).into_iter().any(|(one, other)| {
                let rest: Vec<u32> = units
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| *index != one && *index != other)
                    .map(|(_, unit)| *unit)
                    .collect();
                !fruitless.is_enough(search) && put(search, at, &rest, None)
            });
        }
    });
}

/// Pairs of places, the later ones first.
fn two_of(length: usize) -> Vec<(usize, usize)> {
    let all = (0..length).rev().flat_map(|other| (0..other).rev().map(move |one| (one, other)));
    all.filter(|(one, other)| {
        length <= ALL_PAIRS_MAX || one + 1 == *other || one + other + 1 == length
    })
    .collect()
}

/// Deletes one character while another of the same string, or a number nearby, is lowered by one.
/// Then it deletes as many as possible.
pub(super) fn counted(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    each_string(search, |search, at| {
        for number in numbers_near(search, at) {
            let mut end = units_at(search, at).len();
            for _ in 0..PLACES_MAX {
                if end > 0
                    && !fruitless.is_enough(search)
                    && as_many_as_will_go(|count| without(search, at, end - 1, count, number))
                {
                    end = end.min(units_at(search, at).len());
                } else {
                    end = end.saturating_sub(1);
                }
            }
        }
        let mut counter = 0;
        while counter < units_at(search, at).len().min(PLACES_MAX) {
            let mut end = units_at(search, at).len();
            for _ in 0..PLACES_MAX {
                if end > counter + 1
                    && !fruitless.is_enough(search)
                    && as_many_as_will_go(|count| {
                        without_counted_inside(search, at, end - 1, count, counter)
                    })
                {
                    end = end.min(units_at(search, at).len());
                } else {
                    end = end.saturating_sub(1);
                }
            }
            counter += 1;
        }
    });
}

/// Calls `remove` with counts that double as long as they can go, then halve. Returns whether any
/// characters went.
fn as_many_as_will_go(mut remove: impl FnMut(usize) -> bool) -> bool {
    let mut count = 1;
    if !remove(count) {
        return false;
    }
    while remove(count * 2) {
        count *= 2;
    }
    while count > 0 {
        if !remove(count) {
            count /= 2;
        }
    }
    true
}

/// Deletes `count` characters up to the place `last`, and lowers the number at the place `number`
/// by as many.
fn without(search: &mut Search<'_>, at: usize, last: usize, count: usize, number: usize) -> bool {
    let Some(counter) = search.choices().get(number).and_then(Number::of) else { return false };
    let Some(lower) =
        counter.distance().checked_sub(count as u128).and_then(|distance| counter.at(distance))
    else {
        return false;
    };
    let mut units = units_at(search, at);
    let Some(first) = (last.min(units.len().wrapping_sub(1)) + 1).checked_sub(count) else {
        return false;
    };
    if units.is_empty() {
        return false;
    }
    units.drain(first..first + count);
    put(search, at, &units, Some((number, lower)))
}

/// Does the same where a character counts the others.
fn without_counted_inside(
    search: &mut Search<'_>,
    at: usize,
    last: usize,
    count: usize,
    counter: usize,
) -> bool {
    let mut units = units_at(search, at);
    let Some(first) = (last.min(units.len().wrapping_sub(1)) + 1)
        .checked_sub(count)
        .filter(|first| *first > counter)
    else {
        return false;
    };
    if units.is_empty() || (units[counter] as usize) < count {
        return false;
    }
    units[counter] -= count as u32;
    units.drain(first..first + count);
    put(search, at, &units, None)
}

/// Makes a character simpler wherever it stands, in all strings.
pub(super) fn equal(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let mut done: Vec<u32> = Vec::new();
    let mut at = 0;
    while at < search.len() && !fruitless.is_enough(search) {
        for unit in units_at(search, at) {
            if unit > 0 && !done.contains(&unit) && done.len() < CHARACTERS_MAX {
                done.push(unit);
                let with = |search: &Search<'_>, lower: u32| -> Vec<(usize, Value)> {
                    let strings = (0..search.len())
                        .map(|at| (at, units_at(search, at)))
                        .filter(|(_, units)| units.contains(&unit));
                    let lowered = strings.map(|(at, units)| {
                        (
                            at,
                            units
                                .into_iter()
                                .map(|other| if other == unit { lower } else { other })
                                .collect::<Vec<u32>>(),
                        )
                    });
                    lowered
                        .filter_map(|(at, units)| {
                            Some((at, string(&search.choices()[at].constraint, &units)?))
                        })
                        .collect()
                };
                // Another pass already tried this in one string alone.
                let changes = with(search, 0);
                if changes.len() > 1 && !search.set(&changes).holds() {
                    least(u128::from(unit), |lower| {
                        let changes = with(search, lower as u32);
                        search.set(&changes).holds()
                    });
                }
            }
        }
        at += 1;
    }
}

/// Lowers all characters of all strings by one amount, the most that the simplest of them allows.
/// The characters of a range stay as far apart.
pub(super) fn shifted(search: &mut Search<'_>) {
    let strings: Vec<(usize, Vec<u32>)> = (0..search.len())
        .map(|at| (at, units_at(search, at)))
        .filter(|(_, units)| !units.is_empty())
        .collect();
    let least = strings.iter().flat_map(|(_, units)| units).min().copied().unwrap_or(0);
    if strings.len() > 1 && least > 0 {
        let lowered = strings.into_iter().map(|(at, units)| {
            (at, units.into_iter().map(|unit| unit - least).collect::<Vec<u32>>())
        });
        let changes: Vec<(usize, Value)> = lowered
            .filter_map(|(at, units)| Some((at, string(&search.choices()[at].constraint, &units)?)))
            .collect();
        search.set(&changes);
    }
}

/// How many different characters the pass looks at.
const CHARACTERS_MAX: usize = 16;

/// Makes all characters of a string and a number nearby the simplest, because the number may be
/// their sum.
pub(super) fn summed(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    each_string(search, |search, at| {
        let units = units_at(search, at);
        for number in numbers_near(search, at) {
            let simplest = Number::of(&search.choices()[number])
                .and_then(|number| number.at(0))
                .map(|value| (number, value));
            if !fruitless.is_enough(search) && put(search, at, &vec![0; units.len()], simplest) {
                return;
            }
        }
    });
}

/// Moves a character in front of others that are less simple, further than one place.
pub(super) fn moved(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    each_string(search, |search, at| {
        let mut from = 2;
        while from < units_at(search, at).len().min(MOVED_MAX) {
            let units = units_at(search, at);
            for to in (0..from - 1).filter(|to| units[*to] > units[from]) {
                let mut moved = units.clone();
                moved[to..=from].rotate_right(1);
                if fruitless.is_enough(search) || put(search, at, &moved, None) {
                    break;
                }
            }
            from += 1;
        }
    });
}

/// The number of moves is quadratic in the length.
const MOVED_MAX: usize = 12;

fn each_string(search: &mut Search<'_>, mut pass: impl FnMut(&mut Search<'_>, usize)) {
    let mut at = 0;
    while at < search.len() && !search.is_stopped() {
        if units_at(search, at).len() > 1 {
            pass(search, at);
        }
        at += 1;
    }
}

/// The characters of the string at `at` by their place in the order, or nothing if there is no
/// string.
fn units_at(search: &Search<'_>, at: usize) -> Vec<u32> {
    search.choices().get(at).and_then(units).unwrap_or_default()
}

fn numbers_near(search: &Search<'_>, at: usize) -> Vec<usize> {
    let is_number =
        |at: &usize| Number::of(&search.choices()[*at]).is_some_and(|number| number.distance() > 0);
    (0..at)
        .rev()
        .filter(is_number)
        .take(NEAR)
        .chain((at + 1..search.len()).filter(is_number).take(NEAR))
        .collect()
}

/// Sets the characters of a string, and another value with it. Returns whether that holds.
fn put(search: &mut Search<'_>, at: usize, units: &[u32], with: Option<(usize, Value)>) -> bool {
    let Some(string) =
        search.choices().get(at).and_then(|choice| string(&choice.constraint, units))
    else {
        return false;
    };
    let changes: Vec<(usize, Value)> = [(at, string)].into_iter().chain(with).collect();
    search.set(&changes).holds()
}

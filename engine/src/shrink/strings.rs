//! Makes texts and byte strings shorter, then their characters simpler. Equal strings first change
//! together, then each one alone.

use super::least::least;
use super::search::Search;
use crate::choice::{Choice, Constraint, Value};

/// Deletes as many characters of each string as possible.
pub(super) fn shorten(search: &mut Search<'_>) {
    each(search, &mut |search, at, units| {
        let mut units = units;
        if units.len() > 1 && put(search, at, &[]) {
            return;
        }
        let mut end = units.len();
        while end > 0 {
            let mut step = 1;
            let mut growing = true;
            while step > 0 {
                let wanted = step.min(end);
                let mut rest = units.clone();
                rest.drain(end - wanted..end);
                if wanted > 0 && put(search, at, &rest) {
                    units = rest;
                    end -= wanted;
                    step = if growing { step * 2 } else { step / 2 };
                } else {
                    growing = false;
                    step /= 2;
                }
            }
            end = end.saturating_sub(1);
        }
    });
}

/// Makes characters the simplest that still fails: equal ones together, then each one alone.
pub(super) fn simplify(search: &mut Search<'_>) {
    each(search, &mut |search, at, units| {
        let mut units = spread(search, at, units);
        let zeros = vec![0; units.len()];
        if put(search, at, &zeros) {
            return;
        }
        let mut done = Vec::new();
        for index in 0..units.len() {
            let unit = units[index];
            if unit > 0
                && !done.contains(&unit)
                && units.iter().filter(|other| **other == unit).count() > 1
            {
                done.push(unit);
                lower(search, at, &mut units, &|_, other| other == unit);
            }
        }
        for index in 0..units.len() {
            lower(search, at, &mut units, &|other, _| other == index);
        }
        sort(search, at, units);
    });
}

/// Replaces characters of several bytes by as many of the simplest: all of them, or else each one
/// alone. A target may care for the bytes alone.
fn spread(search: &mut Search<'_>, at: &[usize], units: Vec<u32>) -> Vec<u32> {
    let Constraint::Text(_, alphabet) = search.choices()[at[0]].constraint.clone() else {
        return units;
    };
    let bytes = |unit: u32| alphabet.of_rank(unit).map_or(1, char::len_utf8);
    let all = units
        .iter()
        .flat_map(|unit| if bytes(*unit) > 1 { vec![0; bytes(*unit)] } else { vec![*unit] })
        .collect::<Vec<u32>>();
    if all.len() == units.len() || put(search, at, &all) {
        return all;
    }
    let mut units = units;
    for index in (0..units.len()).rev() {
        let mut one = units.clone();
        one.splice(index..=index, vec![0; bytes(units[index])]);
        if one.len() > units.len() && put(search, at, &one) {
            units = one;
        }
    }
    units
}

/// Lowers the characters for which `is_wanted` holds, as far as possible. All of them become the
/// same character.
fn lower(
    search: &mut Search<'_>,
    at: &[usize],
    units: &mut Vec<u32>,
    is_wanted: &dyn Fn(usize, u32) -> bool,
) {
    let Some(high) = units
        .iter()
        .enumerate()
        .find(|(index, unit)| is_wanted(*index, **unit))
        .map(|(_, unit)| *unit)
    else {
        return;
    };
    let with = |units: &[u32], low: u32| -> Vec<u32> {
        units
            .iter()
            .enumerate()
            .map(|(index, unit)| if is_wanted(index, *unit) { low } else { *unit })
            .collect()
    };
    if high == 0 {
        return;
    }
    let mut lowest = high;
    // The class of a character often decides, so the first character of each class is tried first.
    for first in [0, CAPITAL_A, SMALL_A, SPACE] {
        if first < high && put(search, at, &with(units, first)) {
            lowest = first;
            break;
        }
    }
    if lowest == high {
        let found = least(u128::from(high), &mut |low| put(search, at, &with(units, low as u32)));
        lowest = found as u32;
    }
    *units = with(units, lowest);
}

const CAPITAL_A: u32 = 10;
const SMALL_A: u32 = 36;
const SPACE: u32 = 62;

/// Swaps neighbours that are out of order.
fn sort(search: &mut Search<'_>, at: &[usize], mut units: Vec<u32>) {
    for end in (1..units.len().min(SORTED_MAX)).rev() {
        for index in 0..end {
            if units[index] > units[index + 1] {
                units.swap(index, index + 1);
                if !put(search, at, &units) {
                    units.swap(index, index + 1);
                }
            }
        }
    }
}

/// The number of swaps is quadratic in the length.
const SORTED_MAX: usize = 12;

/// Groups of up to this many equal strings are also taken two by two.
const PAIRED_MAX: usize = 4;

/// A pass over the places of equal strings, which have these units.
type OnStrings<'a> = dyn FnMut(&mut Search<'_>, &[usize], Vec<u32>) + 'a;

fn each(search: &mut Search<'_>, pass: &mut OnStrings<'_>) {
    for together in [true, false] {
        let mut at = 0;
        while at < search.len() && !search.is_stopped() {
            let choice = &search.choices()[at];
            if let Some(units) = units(choice)
                && !choice.is_simplest()
            {
                let equal = |(_, other): &(usize, &Choice)| {
                    other.value == choice.value && has_alphabet_of(other, choice)
                };
                let places: Vec<usize> = if together {
                    search.choices().iter().enumerate().filter(equal).map(|(at, _)| at).collect()
                } else {
                    vec![at]
                };
                // The pass works on a group where its first string stands. In a group of more than
                // two, some strings may be equal by chance.
                if !together || places.len() > 1 && places[0] == at {
                    if (3..=PAIRED_MAX).contains(&places.len()) {
                        for (index, one) in places.iter().enumerate() {
                            for other in &places[index + 1..] {
                                pass(search, &[*one, *other], units.clone());
                            }
                        }
                    }
                    pass(search, &places, units);
                }
            }
            at += 1;
        }
    }
}

/// Whether the characters of two strings have the same places in the order.
fn has_alphabet_of(one: &Choice, other: &Choice) -> bool {
    match (&one.constraint, &other.constraint) {
        (Constraint::Text(_, one), Constraint::Text(_, other)) => one == other,
        _ => true,
    }
}

/// The characters of a string by their place in the order.
pub(super) fn units(choice: &Choice) -> Option<Vec<u32>> {
    match (&choice.value, &choice.constraint) {
        (Value::Text(text), Constraint::Text(_, alphabet)) => {
            Some(text.chars().map(|c| alphabet.rank(c)).collect())
        }
        (Value::Bytes(bytes), Constraint::Bytes(_) | Constraint::Rest) => {
            Some(bytes.iter().copied().map(u32::from).collect())
        }
        _ => None,
    }
}

fn put(search: &mut Search<'_>, places: &[usize], units: &[u32]) -> bool {
    let allowed =
        |at: &usize| search.choices().get(*at).and_then(|choice| string(&choice.constraint, units));
    let Some(strings) = places.iter().map(allowed).collect::<Option<Vec<Value>>>() else {
        return false;
    };
    search
        .attempt(|best, candidate| {
            candidate.extend(best.choices.iter().map(|choice| choice.value.clone()));
            for (at, value) in places.iter().zip(strings) {
                candidate[*at] = value;
            }
        })
        .holds()
}

/// The string of these characters, if `constraint` allows it.
pub(super) fn string(constraint: &Constraint, units: &[u32]) -> Option<Value> {
    let value = match constraint {
        Constraint::Bytes(_) | Constraint::Rest => {
            Value::Bytes(units.iter().map(|unit| *unit as u8).collect())
        }
        Constraint::Text(_, alphabet) => Value::Text(
            units.iter().map(|unit| alphabet.of_rank(*unit)).collect::<Option<String>>()?.into(),
        ),
        _ => return None,
    };
    constraint.allows(&value).then_some(value)
}

//! Lowers several numbers at once: all that are above a level, or two that lie close to each other.

use std::collections::{HashMap, HashSet};

use super::least::least;
use super::place::{Number, values};
use super::search::Search;
use crate::choice::{Constraint, IntegerRange, Value};

/// Lowers all numbers of one range that are above a level to this level, which is as low as
/// possible. Hundreds of values come down in a few calls.
pub(super) fn level(search: &mut Search<'_>) {
    each_range(search, LEVEL_MIN, |search, range| {
        let numbers = search.choices().iter().filter_map(Number::of);
        let highest = numbers.filter(|number| number.range == range).map(Number::distance).max();
        least(highest.unwrap_or(0), &mut |level| {
            search
                .attempt(|best, candidate| {
                    candidate.extend(best.choices.iter().map(|choice| match Number::of(choice) {
                        Some(number) if number.range == range && number.distance() > level => {
                            number.at(level).unwrap_or(Value::Integer(number.value))
                        }
                        _ => choice.value.clone(),
                    }));
                })
                .holds()
        });
    });
}

/// Runs `pass` for each range in which at least `members` numbers are not the simplest.
pub(super) fn each_range(
    search: &mut Search<'_>,
    members: usize,
    mut pass: impl FnMut(&mut Search<'_>, IntegerRange),
) {
    let mut done: HashSet<IntegerRange> = HashSet::new();
    let mut at = 0;
    let mut improvements = search.improvements();
    let mut counts = counts(search);
    while at < search.len() && !search.is_stopped() {
        if search.improvements() > improvements {
            (improvements, counts) = (search.improvements(), self::counts(search));
        }
        if let Some(number) = Number::of(&search.choices()[at])
            && counts.get(&number.range).is_some_and(|count| *count >= members)
            && number.distance() > 0
            && done.insert(number.range)
        {
            pass(search, number.range);
        }
        at += 1;
    }
}

/// How many numbers of each range are not the simplest.
fn counts(search: &Search<'_>) -> HashMap<IntegerRange, usize> {
    let mut counts = HashMap::new();
    let numbers = search.choices().iter().filter_map(Number::of);
    for number in numbers.filter(|number| number.distance() > 0) {
        *counts.entry(number.range).or_default() += 1;
    }
    counts
}

/// Fewer numbers than this are lowered one by one.
const LEVEL_MIN: usize = 17;

/// Lowers the number at `at` together with one that lies near it, as far as both can go. Alone,
/// each number would follow the other in small steps.
pub(super) fn with_nearest(search: &mut Search<'_>, at: usize) {
    let Some(number) = search.choices().get(at).and_then(Number::of) else { return };
    let mut near = numbers(search, |other| other.distance() > 0);
    near.retain(|other| *other != at);
    let apart = |other: usize| {
        Number::of(&search.choices()[other])
            .map_or(u128::MAX, |other| other.offset().abs_diff(number.offset()))
    };
    let nearest: Vec<usize> = (0..NEAREST)
        .map_while(|_| {
            let place = (0..near.len()).min_by_key(|place| (apart(near[*place]), near[*place]))?;
            Some(near.swap_remove(place))
        })
        .collect();
    for other in nearest {
        let both = [at.min(other), at.max(other)];
        let room = both
            .iter()
            .filter_map(|at| search.choices().get(*at).and_then(Number::of))
            .map(Number::distance)
            .min()
            .unwrap_or(0);
        if room > 1 && lower_all(search, &both, room) {
            return;
        }
    }
}

const NEAREST: usize = 3;

/// The places of the numbers for which `is_wanted` holds.
fn numbers(search: &Search<'_>, is_wanted: impl Fn(Number) -> bool) -> Vec<usize> {
    let places = search.choices().iter().enumerate();
    places
        .filter(|(_, choice)| {
            matches!(choice.constraint, Constraint::Integer(_))
                && Number::of(choice).is_some_and(&is_wanted)
        })
        .map(|(at, _)| at)
        .collect()
}

/// Takes as much as possible, at most `room`, from the distance of each number. Returns whether the
/// best improved.
fn lower_all(search: &mut Search<'_>, places: &[usize], room: u128) -> bool {
    let before = search.improvements();
    let Some(base) =
        places.iter().map(|at| Number::of(&search.choices()[*at])).collect::<Option<Vec<Number>>>()
    else {
        return false;
    };
    let mut lower = |left: u128| {
        let lowered: Option<Vec<Value>> =
            base.iter().map(|number| number.at(number.distance() - (room - left))).collect();
        let Some(lowered) = lowered else { return false };
        search
            .attempt(|best, candidate| {
                candidate.extend(values(&best.choices, 0..best.len()));
                for (at, value) in places.iter().zip(lowered) {
                    if let Some(place) = candidate.get_mut(*at) {
                        *place = value;
                    }
                }
            })
            .holds()
    };
    if !lower(0) {
        least(room, &mut lower);
    }
    search.improvements() > before
}

//! Lowers several numbers at once: all that are above a level, or two that lie close to each other.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::least::least;
use super::place::{Number, values};
use super::search::Search;
use crate::choice::{Constraint, Value};
use crate::sorted::sort_by_key;

/// Lowers all numbers of one range that are above a level to this level, which is as low as
/// possible. Hundreds of values come down in a few calls.
pub(super) fn level(search: &mut Search<'_>) {
    each_kind(
        search,
        LEVEL_MIN,
        |number| number.range,
        |search, number| {
            let all = numbers(search, |other| other.range == number.range && other.distance() > 0);
            let highest = distances(search, &all).max().unwrap_or(0);
            least(highest, &mut |level| {
                search
                    .attempt(|best, candidate| {
                        candidate.extend(best.choices.iter().map(|choice| {
                            match Number::of(choice) {
                                Some(other)
                                    if other.range == number.range && other.distance() > level =>
                                {
                                    other.at(level).unwrap_or(Value::Integer(other.value))
                                }
                                _ => choice.value.clone(),
                            }
                        }));
                    })
                    .holds()
            });
        },
    );
}

/// Runs `pass` on the first number of each kind that has at least `members` numbers. The simplest
/// values do not count.
pub(super) fn each_kind<K: Eq + Hash>(
    search: &mut Search<'_>,
    members: usize,
    kind: impl Fn(Number) -> K,
    mut pass: impl FnMut(&mut Search<'_>, Number),
) {
    let mut done: HashSet<K> = HashSet::new();
    let mut at = 0;
    let mut improvements = search.improvements();
    let mut counts = counts(search, &kind);
    while at < search.len() && !search.is_stopped() {
        if search.improvements() > improvements {
            (improvements, counts) = (search.improvements(), self::counts(search, &kind));
        }
        if let Some(number) = Number::of(&search.choices()[at])
            && counts.get(&kind(number)).is_some_and(|count| *count >= members)
            && number.distance() > 0
            && done.insert(kind(number))
        {
            pass(search, number);
        }
        at += 1;
    }
}

fn counts<K: Eq + Hash>(search: &Search<'_>, kind: impl Fn(Number) -> K) -> HashMap<K, usize> {
    let mut counts = HashMap::new();
    for number in
        search.choices().iter().filter_map(Number::of).filter(|number| number.distance() > 0)
    {
        *counts.entry(kind(number)).or_default() += 1;
    }
    counts
}

fn distances(search: &Search<'_>, places: &[usize]) -> impl Iterator<Item = u128> {
    places.iter().filter_map(|at| Number::of(&search.choices()[*at])).map(Number::distance)
}

/// Fewer numbers than this are lowered one by one.
const LEVEL_MIN: usize = 17;

/// Lowers the number at `at` together with one that lies near it, as far as both can go. Alone,
/// each number would follow the other in small steps.
pub(super) fn with_nearest(search: &mut Search<'_>, at: usize) {
    let Some(number) = search.choices().get(at).and_then(Number::of) else { return };
    let mut near = numbers(search, |other| other.distance() > 0);
    near.retain(|other| *other != at);
    let apart = |other: &usize| {
        Number::of(&search.choices()[*other])
            .map_or(u128::MAX, |other| other.offset().abs_diff(number.offset()))
    };
    if near.len() > NEAREST {
        near.select_nth_unstable_by_key(NEAREST, |other| (apart(other), *other));
        near.truncate(NEAREST);
    }
    sort_by_key(&mut near, apart);
    for other in near {
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

//! Lowers one number while one or two later ones become other values that small inputs are made of.

use super::place::{Number, values};
use super::search::Search;
use crate::choice::Value;

/// More numbers than this have too many neighbours.
const NUMBERS_MAX: usize = 10;
/// How many calls without headway end the pass.
const FRUITLESS_MAX: u64 = 300;
/// How many values a number may become.
const VALUES_MAX: usize = 6;

/// Values come from the trace, from next to those, and from the simplest few.
pub(super) fn each(search: &mut Search<'_>) {
    let mut one = 0;
    let start = search.calls();
    while let Some(at) = numbers(search).get(one).copied()
        && numbers(search).len() <= NUMBERS_MAX
        && search.calls() < start + FRUITLESS_MAX
    {
        let improvements = search.improvements();
        lower(search, at, start + FRUITLESS_MAX);
        if search.improvements() > improvements {
            // What is lower now opens the way for others.
            return;
        }
        one += 1;
    }
}

fn numbers(search: &Search<'_>) -> Vec<usize> {
    let places = search.choices().iter().enumerate();
    places.filter(|(_, choice)| Number::of(choice).is_some()).map(|(at, _)| at).collect()
}

/// The distances that numbers may take, from the least.
fn alphabet(search: &Search<'_>) -> Vec<u128> {
    let mut distances: Vec<u128> = search.choices().iter().filter_map(Number::of).flat_map(|number| [number.distance(), number.distance() + 1]).collect();
    distances.extend([0, 1]);
    distances.sort_unstable();
    distances.dedup();
    distances.truncate(VALUES_MAX);
    distances
}

fn lower(search: &mut Search<'_>, at: usize, calls_max: u64) {
    let Some(number) = search.choices().get(at).and_then(Number::of) else { return };
    let alphabet = alphabet(search);
    let later: Vec<usize> = numbers(search).into_iter().filter(|other| *other > at).collect();
    let lower: Vec<Value> = alphabet.iter().filter(|distance| **distance < number.distance()).take(2).filter_map(|distance| number.at(*distance)).collect();
    for lowered in lower {
        for (index, one) in later.iter().enumerate() {
            for first in others(search, *one, &alphabet) {
                if set(search, &[(at, &lowered), (*one, &first)]) {
                    return;
                }
                for two in &later[index + 1..] {
                    for second in others(search, *two, &alphabet) {
                        if search.calls() >= calls_max || search.is_stopped() || set(search, &[(at, &lowered), (*one, &first), (*two, &second)]) {
                            return;
                        }
                    }
                }
            }
        }
    }
}

fn others(search: &Search<'_>, at: usize, alphabet: &[u128]) -> Vec<Value> {
    let Some(number) = search.choices().get(at).and_then(Number::of) else { return Vec::new() };
    alphabet.iter().filter(|distance| **distance != number.distance()).filter_map(|distance| number.at(*distance)).collect()
}

fn set(search: &mut Search<'_>, changes: &[(usize, &Value)]) -> bool {
    let improvements = search.improvements();
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..best.len()));
        for (at, value) in changes {
            candidate[*at] = (*value).clone();
        }
    });
    search.improvements() > improvements
}

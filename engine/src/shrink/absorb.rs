//! Deletes an element and adds what it held to a number that stays.

use super::place::{Number, collections, elements, values};
use super::search::{Fruitless, Search, Verdict};
use crate::choice::Value;

/// How many numbers before and behind the element may take what it held.
const NEAR: usize = 2;

const FRUITLESS_MAX: u64 = 100;

/// Each element that holds a single number. The sum wraps around where the range does, as sums in programs do.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    for index in collections(search.spans()) {
        let mut position = 0;
        let mut ranges = elements(search.choices(), search.spans(), index);
        while let Some(gone) = ranges.get(position).cloned()
            && !fruitless.is_enough(search)
        {
            let inside: Vec<usize> = gone.clone().filter(|at| number(search, *at).is_some()).collect();
            let taken = match inside[..] {
                [only] => number(search, only).is_some_and(|held| {
                    let before = (0..gone.start).rev().filter(|at| number(search, *at).is_some()).take(NEAR);
                    let behind = (gone.end..search.len()).filter(|at| number(search, *at).is_some()).take(NEAR);
                    let partners: Vec<usize> = before.chain(behind).collect();
                    partners.into_iter().any(|partner| give(search, gone.clone(), held, partner) == Verdict::Better)
                }),
                _ => false,
            };
            if taken {
                ranges = elements(search.choices(), search.spans(), index);
            } else {
                position += 1;
            }
        }
    }
}

fn give(search: &mut Search<'_>, gone: std::ops::Range<usize>, held: Number, partner: usize) -> Verdict {
    let Some(sum) = number(search, partner).and_then(|partner| wrapping_sum(partner, held.value)) else { return Verdict::Worse };
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..best.len()));
        candidate[partner] = Value::Integer(sum);
        candidate.drain(gone);
    })
}

fn wrapping_sum(number: Number, held: i128) -> Option<i128> {
    let (min, max) = (number.range.min, number.range.max);
    let sum = number.value.checked_add(held)?;
    if (min..=max).contains(&sum) {
        return Some(sum);
    }
    let count = max.checked_sub(min)?.checked_add(1)?;
    Some(min + sum.checked_sub(min)?.rem_euclid(count))
}

fn number(search: &Search<'_>, at: usize) -> Option<Number> {
    search.choices().get(at).and_then(Number::of)
}

//! Deletes elements and adds what they held to a number that stays.

use std::ops::Range;

use super::gallop::Gallop;
use super::place::{Number, elements, values};
use super::search::{Fruitless, Search, Verdict};
use crate::choice::Value;

const FRUITLESS_MAX: u64 = 100;

/// Deletes elements that hold a single number each, as many in a row as possible. The sum wraps
/// around at the ends of the range, as sums in programs do.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    search.each_collection(|search, index| {
        let (mut position, mut gallop) = (0, Gallop::new());
        let mut ranges = elements(search.choices(), search.spans(), index);
        while position < ranges.len() && !fruitless.is_enough(search) {
            let Some(step) = gallop.step() else {
                (position, gallop) = (position + 1, Gallop::new());
                continue;
            };
            let end = ranges.len().min(position.saturating_add(step));
            let went = absorbed(search, &ranges[position..end]);
            if went {
                ranges = elements(search.choices(), search.spans(), index);
            }
            gallop.went(went);
        }
    });
}

/// Deletes these elements, and adds the sum of their numbers to the number before them, or to the
/// one after them. Returns whether that improved the best.
fn absorbed(search: &mut Search<'_>, gone: &[Range<usize>]) -> bool {
    let held = gone
        .iter()
        .map(|element| only_number(search, element))
        .try_fold(0, |sum: i128, held| sum.checked_add(held?.value));
    let ([first, ..], [.., last], Some(held)) = (gone, gone, held) else { return false };
    let gone = first.start..last.end;
    let before = (0..gone.start).rfind(|at| number(search, *at).is_some());
    let behind = (gone.end..search.len()).find(|at| number(search, *at).is_some());
    before
        .into_iter()
        .chain(behind)
        .any(|partner| give(search, gone.clone(), held, partner) == Verdict::Better)
}

/// The number that an element holds, if it holds exactly one.
fn only_number(search: &Search<'_>, element: &Range<usize>) -> Option<Number> {
    let mut numbers = element.clone().filter_map(|at| number(search, at));
    let only = numbers.next();
    only.filter(|_| numbers.next().is_none())
}

fn give(search: &mut Search<'_>, gone: Range<usize>, held: i128, partner: usize) -> Verdict {
    let Some(sum) = number(search, partner).and_then(|partner| wrapping_sum(partner, held)) else {
        return Verdict::Worse;
    };
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

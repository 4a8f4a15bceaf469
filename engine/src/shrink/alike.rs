//! Changes all spans of one shape in the same way. Numbers in two spans may need a constant
//! difference. Then neither span can change alone.

use super::place::{Number, values};
use super::search::{Search, Verdict};
use crate::choice::{Choice, Value};
use crate::trace::{Span, Trace};

/// Shapes with more numbers have too many pairs of them.
const NUMBERS_MAX: usize = 6;
/// A shape with more spans is skipped.
const ALIKE_MAX: usize = 8;
/// The pass looks at this many spans: more spans have too many shapes.
const SPANS_MAX: usize = 500;

/// Works on each shape that several spans have. In all of these spans, lowers one number and raises
/// a later one by the same amount. Each change is made where the range allows it.
pub(super) fn each(search: &mut Search<'_>) {
    let mut index = 0;
    while index < search.spans().len().min(SPANS_MAX) && !search.is_stopped() {
        let starts = starts_of_shape(search, index);
        if starts.len() > 1 && starts.len() <= ALIKE_MAX {
            let numbers = places_of_numbers(search, search.spans()[index]);
            if numbers.len() <= NUMBERS_MAX {
                trade(search, &starts, &numbers);
            }
        }
        index += 1;
    }
}

/// The starts of all spans with the shape of the one at `index`, if that one is the first of them.
/// Empty otherwise, and for draws and spans with fewer than two choices.
fn starts_of_shape(search: &Search<'_>, index: usize) -> Vec<usize> {
    let (choices, spans) = (search.choices(), search.spans());
    let first = spans[index];
    if first.label.is_draw() || first.len() < 2 {
        return Vec::new();
    }
    let is_alike = |span: &&Span| {
        let pairs = || choices[first.range()].iter().zip(&choices[span.range()]);
        span.label == first.label
            && span.len() == first.len()
            && pairs().all(|(one, other)| is_alike_choice(one, other))
    };
    let starts: Vec<usize> =
        spans.iter().take(SPANS_MAX).filter(is_alike).map(|span| span.start as usize).collect();
    if starts.first() == Some(&(first.start as usize)) { starts } else { Vec::new() }
}

fn is_alike_choice(one: &Choice, other: &Choice) -> bool {
    one.constraint == other.constraint
        && (Number::of(one).is_some()
            || matches!(one.value, Value::Boolean(_))
            || one.value == other.value)
}

/// The places of the numbers in a span, counted from its start.
fn places_of_numbers(search: &Search<'_>, span: Span) -> Vec<usize> {
    let places = search.choices()[span.range()].iter().enumerate();
    places.filter(|(_, choice)| Number::of(choice).is_some()).map(|(at, _)| at).collect()
}

fn trade(search: &mut Search<'_>, starts: &[usize], numbers: &[usize]) {
    for (index, one) in numbers.iter().enumerate() {
        for other in &numbers[index + 1..] {
            let common_amount = starts
                .iter()
                .filter_map(|start| number_at(search.best(), start + one))
                .map(Number::distance)
                .min()
                .unwrap_or(0);
            // First tries the amount that the first number has in all spans. Then tries one: each
            // change is made where the range allows it.
            if common_amount <= 1 || !give(search, starts, (*one, *other), common_amount) {
                give(search, starts, (*one, *other), 1);
            }
        }
    }
}

fn give(
    search: &mut Search<'_>,
    starts: &[usize],
    (one, other): (usize, usize),
    amount: u128,
) -> bool {
    let lowered = |number: Number| number.at(number.distance().checked_sub(amount)?);
    let raised = |number: Number| number.at(number.distance().checked_add(amount)?);
    let verdict = search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..best.len()));
        for start in starts {
            for (at, value) in [
                (start + one, number_at(best, start + one).and_then(lowered)),
                (start + other, number_at(best, start + other).and_then(raised)),
            ] {
                if let Some(value) = value {
                    candidate[at] = value;
                }
            }
        }
    });
    verdict == Verdict::Better
}

fn number_at(best: &Trace, at: usize) -> Option<Number> {
    best.choices.get(at).and_then(Number::of)
}

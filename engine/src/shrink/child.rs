//! Puts a part of a value in its place: of a tree, one of its branches.

use std::ops::Range;

use super::place::{Number, inside, is_datum, moved, values};
use super::search::{Fruitless, Search, Verdict};
use crate::choice::{Choice, Value};
use crate::trace::Label;

/// How many parts of one value are tried.
const PARTS_MAX: usize = 12;

/// Each span, from the outside in, is replaced by a span inside it with the same label.
pub(super) fn each(search: &mut Search<'_>) {
    let mut index = 0;
    while index < search.spans().len() && !search.is_stopped() {
        while parts(search, index).into_iter().any(|part| replace(search, index, part, None) == Verdict::Better) {}
        index += 1;
    }
}

/// The same while a number that stands before the span is lowered by one: sizes are often drawn before what they limit.
pub(super) fn lowered(search: &mut Search<'_>) {
    let mut index = 0;
    while index < search.spans().len() && !search.is_stopped() {
        let parts = parts(search, index);
        if let (Some(start), false) = (search.spans().get(index).map(|span| span.start as usize), parts.is_empty()) {
            let numbers = (0..start).rev().filter(|at| Number::of(&search.choices()[*at]).is_some_and(|number| number.distance() > 0));
            let numbers: Vec<usize> = numbers.take(3).collect();
            'search: for at in numbers {
                let Some(lowered) = lowered_by_one(&search.choices()[at]) else { continue };
                for part in &parts {
                    if replace(search, index, part.clone(), Some((at, lowered.clone()))) == Verdict::Better {
                        break 'search;
                    }
                }
            }
        }
        index += 1;
    }
}

/// The same while a truth value of the part is turned, or a number of it put to the other side: of `0 - x` remains `-x`.
pub(super) fn turned(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    let mut index = 0;
    while index < search.spans().len() && !fruitless.is_enough(search) {
        'search: for part in parts(search, index) {
            let start = search.spans()[index].start as usize;
            let turned = part.clone().filter_map(|at| Some((start + at - part.start, turned_over(&search.choices()[at])?)));
            for turned in turned.take(TURNED_MAX).collect::<Vec<_>>() {
                if replace(search, index, part.clone(), Some(turned)) == Verdict::Better {
                    break 'search;
                }
            }
        }
        index += 1;
    }
}

const FRUITLESS_MAX: u64 = 60;
/// How many values of one part are turned.
const TURNED_MAX: usize = 6;

/// The choices of the spans inside with the same label, the shortest last but one: the direct parts come first.
fn parts(search: &Search<'_>, index: usize) -> Vec<Range<usize>> {
    let spans = search.spans();
    let Some(whole) = spans.get(index) else { return Vec::new() };
    // A list in a list is no part of its own kind, unless a type with a label of its own lies between.
    if matches!(whole.label, Label::ELEMENT | Label::DRAW | Label::ATTEMPT | Label::COLLECTION | Label::TUPLE) {
        return Vec::new();
    }
    let same = inside(spans, index).filter(|(_, span)| span.label == whole.label && span.len() < whole.len() && !span.is_empty());
    same.map(|(_, span)| span.range()).take(PARTS_MAX).collect()
}

/// Puts the part in the place of the whole, with another value at one place of what comes out.
fn replace(search: &mut Search<'_>, index: usize, part: Range<usize>, change: Option<(usize, Value)>) -> Verdict {
    let Some(whole) = search.spans().get(index).map(crate::trace::Span::range) else { return Verdict::Worse };
    if part.end > search.len() || whole.is_empty() {
        return Verdict::Worse;
    }
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..whole.start));
        candidate.extend(moved(&best.choices, part, &best.choices[whole.start]));
        candidate.extend(values(&best.choices, whole.end..best.len()));
        if let Some((at, value)) = change {
            candidate[at] = value;
        }
    })
}

fn turned_over(choice: &Choice) -> Option<Value> {
    match &choice.value {
        Value::Boolean(value) if is_datum(choice) => Some(Value::Boolean(!value)),
        _ => Number::of(choice).filter(|number| number.distance() > 0)?.at_offset(Number::of(choice)?.offset().checked_neg()?),
    }
}

fn lowered_by_one(choice: &Choice) -> Option<Value> {
    let number = Number::of(choice)?;
    number.at(number.distance().checked_sub(1)?)
}

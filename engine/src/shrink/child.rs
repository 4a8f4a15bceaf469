//! Puts a part of a value in its place: of a tree, one of its branches.

use std::ops::Range;

use super::place::{Number, inside, moved, values};
use super::search::{Search, Verdict};
use crate::choice::Value;
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
                for part in &parts {
                    if replace(search, index, part.clone(), Some(at)) == Verdict::Better {
                        break 'search;
                    }
                }
            }
        }
        index += 1;
    }
}

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

fn replace(search: &mut Search<'_>, index: usize, part: Range<usize>, lower: Option<usize>) -> Verdict {
    let Some(whole) = search.spans().get(index).map(crate::trace::Span::range) else { return Verdict::Worse };
    if part.end > search.len() || whole.is_empty() {
        return Verdict::Worse;
    }
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..whole.start));
        candidate.extend(moved(&best.choices, part, &best.choices[whole.start]));
        candidate.extend(values(&best.choices, whole.end..best.len()));
        if let Some(at) = lower {
            candidate[at] = lowered_by_one(&best.choices[at]).unwrap_or_else(|| best.choices[at].value.clone());
        }
    })
}

fn lowered_by_one(choice: &crate::choice::Choice) -> Option<Value> {
    let number = Number::of(choice)?;
    number.at(number.distance().checked_sub(1)?)
}

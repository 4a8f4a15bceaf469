//! Puts a part of a value in its place: for example, a branch in the place of its tree.

use std::ops::Range;

use super::place::{Number, inside, may_hold_itself, moved, values};
use super::search::{Search, Verdict};
use crate::choice::{Choice, Value};

/// How many parts of one value the pass tries.
const PARTS_MAX: usize = 12;

/// Replaces each span, from the outside in, by a span inside it with the same label.
pub(super) fn each(search: &mut Search<'_>) {
    let mut index = 0;
    while index < search.spans().len() && !search.is_stopped() {
        while parts(search, index)
            .into_iter()
            .any(|part| replace(search, index, part, None) == Verdict::Better)
        {}
        index += 1;
    }
}

/// Does the same and lowers a number before the span by one. Sizes are often drawn before what they
/// limit.
pub(super) fn lowered(search: &mut Search<'_>) {
    let mut index = 0;
    while index < search.spans().len() && !search.is_stopped() {
        let parts = parts(search, index);
        if let (Some(start), false) =
            (search.spans().get(index).map(|span| span.start as usize), parts.is_empty())
        {
            let numbers = (0..start).rev().filter(|at| {
                Number::of(&search.choices()[*at]).is_some_and(|number| number.distance() > 0)
            });
            let numbers: Vec<usize> = numbers.take(3).collect();
            'search: for at in numbers {
                let Some(lowered) = lowered_by_one(&search.choices()[at]) else { continue };
                for part in &parts {
                    if replace(search, index, part.clone(), Some((at, lowered.clone())))
                        == Verdict::Better
                    {
                        break 'search;
                    }
                }
            }
        }
        index += 1;
    }
}

/// The choices of the spans inside that have the same label. The direct parts come before the parts
/// inside them.
fn parts(search: &Search<'_>, index: usize) -> Vec<Range<usize>> {
    let spans = search.spans();
    let Some(whole) = spans.get(index) else { return Vec::new() };
    if !may_hold_itself(whole.label) {
        return Vec::new();
    }
    let same = inside(spans, index).filter(|(_, span)| {
        span.label == whole.label && span.len() < whole.len() && !span.is_empty()
    });
    same.map(|(_, span)| span.range()).take(PARTS_MAX).collect()
}

/// Puts the part in the place of the whole. `change` sets another value at one place of the result.
fn replace(
    search: &mut Search<'_>,
    index: usize,
    part: Range<usize>,
    change: Option<(usize, Value)>,
) -> Verdict {
    let Some(whole) = search.spans().get(index).map(crate::trace::Span::range) else {
        return Verdict::Worse;
    };
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

fn lowered_by_one(choice: &Choice) -> Option<Value> {
    let number = Number::of(choice)?;
    number.at(number.distance().checked_sub(1)?)
}

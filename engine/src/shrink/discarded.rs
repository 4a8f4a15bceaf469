//! Deletes draws that were thrown away: values that a filter refused, and values that a set already
//! held.

use std::ops::Range;

use super::place::{elements, is_continue, values};
use super::search::{Search, Verdict};
use crate::trace::{Label, Span};

/// How many elements before a repeated one may be the element that it repeats.
const EARLIER_MAX: usize = 8;

/// Deletes all refused draws at once, or else one by one. For each element that was drawn again, it
/// then deletes the refused part, alone or with the repeated element.
pub(super) fn all(search: &mut Search<'_>) {
    let refused: Vec<Range<usize>> = search
        .spans()
        .iter()
        .filter(|span| span.discarded && !span.is_empty())
        .map(Span::range)
        .collect();
    if !refused.is_empty() && delete(search, &refused) != Verdict::Better {
        for one in refused {
            if delete(search, &[one]) == Verdict::Better {
                return;
            }
        }
    }
    search.each_collection(|search, index| while repeated(search, index) {});
}

fn repeated(search: &mut Search<'_>, index: usize) -> bool {
    let elements = elements(search.choices(), search.spans(), index);
    for (position, element) in elements.iter().enumerate() {
        let attempts = || {
            spans_of(search, element)
                .filter(|span| span.label == Label::ATTEMPT && !span.is_empty())
        };
        let Some(again) = attempts().last().map(|span| span.start as usize) else { continue };
        let first = element.start + usize::from(is_continue(&search.choices()[element.start]));
        let vain = first..again;
        if delete(search, std::slice::from_ref(&vain)) == Verdict::Better {
            return true;
        }
        for earlier in elements[..position].iter().rev().take(EARLIER_MAX) {
            if delete(search, &[earlier.clone(), vain.clone()]) == Verdict::Better {
                return true;
            }
        }
    }
    false
}

/// The spans that begin inside `range`.
fn spans_of<'a>(search: &'a Search<'_>, range: &Range<usize>) -> impl Iterator<Item = &'a Span> {
    let spans = search.spans();
    // Spans stand in the order in which they begin.
    let first = spans.partition_point(|span| (span.start as usize) < range.start);
    let end = range.end;
    spans[first..].iter().take_while(move |span| (span.start as usize) < end)
}

fn delete(search: &mut Search<'_>, gone: &[Range<usize>]) -> Verdict {
    search.attempt(|best, candidate| {
        let mut at = 0;
        for range in gone {
            candidate.extend(values(&best.choices, at..range.start.max(at)));
            at = range.end.max(at);
        }
        candidate.extend(values(&best.choices, at..best.len()));
    })
}

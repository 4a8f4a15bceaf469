//! Takes an earlier alternative: what follows from it is kept as far as it fits, or is the simplest.

use super::place::{alternative, as_alternative, values};
use super::realign;
use super::search::Search;
use crate::choice::Value;
use crate::trace::Label;

/// Reads as the simplest value wherever it does not fit, and as `false` or "no more" where it does.
pub(super) const SIMPLEST: Value = Value::Boolean(false);

/// Each alternative, the simplest first.
pub(super) fn each(search: &mut Search<'_>) {
    let mut at = 0;
    while at < search.len() && !search.is_stopped() {
        if let Some(taken) = alternative(&search.choices()[at]) {
            for lower in lower_than(taken) {
                if one(search, at, lower) {
                    break;
                }
            }
        }
        at += 1;
    }
}

fn lower_than(taken: i128) -> Vec<i128> {
    if taken <= 12 { (0..taken).collect() } else { (0..6).chain([taken / 2, taken - 2, taken - 1]).collect() }
}

fn one(search: &mut Search<'_>, at: usize, lower: i128) -> bool {
    let kept = realign::attempt(search, at, |best, candidate| {
        candidate.extend(values(&best.choices, 0..best.len()));
        candidate[at] = as_alternative(&best.choices[at], lower);
    });
    if kept.holds() {
        return true;
    }
    let Some(end) = end_of(search, at).filter(|end| *end > at + 1) else { return false };
    realign::attempt(search, at, |best, candidate| {
        candidate.extend(values(&best.choices, 0..at));
        candidate.push(as_alternative(&best.choices[at], lower));
        candidate.resize(end, SIMPLEST);
        candidate.extend(values(&best.choices, end..best.len()));
    })
    .holds()
}

/// Behind what follows from the alternative at `at`.
fn end_of(search: &Search<'_>, at: usize) -> Option<usize> {
    let begins = |span: &&crate::trace::Span| span.start as usize == at && span.label != Label::COLLECTION && span.label != Label::DRAW;
    search.spans().iter().rfind(begins).map(|span| span.end as usize)
}

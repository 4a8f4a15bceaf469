//! Takes an earlier alternative: what follows from it is kept as far as it fits, or is the simplest.

use super::place::{alternative, as_alternative, collections, elements, values};
use super::realign;
use super::search::{Search, Verdict};
use crate::choice::{Constraint, Role, Value};
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

/// Takes a later alternative where that allows for something shorter: its content is shorter, or an element elsewhere can go.
pub(super) fn later(search: &mut Search<'_>) {
    let start = search.calls();
    let mut at = 0;
    while at < search.len() && search.calls() < start + LATER_MAX && !search.is_stopped() {
        if let (Some(taken), Constraint::Integer(range)) = (alternative(&search.choices()[at]), &search.choices()[at].constraint) {
            let last = range.max - i128::from(range.role == Role::Element);
            for higher in taken + 1..=last.min(taken + ALTERNATIVES_MAX) {
                if shorter_content(search, at, higher) || elsewhere(search, at, higher) {
                    break;
                }
            }
        }
        at += 1;
    }
}

const LATER_MAX: u64 = 150;
const ALTERNATIVES_MAX: i128 = 12;

fn shorter_content(search: &mut Search<'_>, at: usize, higher: i128) -> bool {
    let improvements = search.improvements();
    let Some(end) = end_of(search, at).filter(|end| *end > at + 1) else { return false };
    let length = end - at;
    // With contents of one choice less, and so on: the simplest, then each the second simplest.
    for kept in (1..length).rev() {
        for second in 0..kept {
            search.attempt(|best, candidate| {
                candidate.extend(values(&best.choices, 0..at));
                candidate.push(as_alternative(&best.choices[at], higher));
                candidate.extend((1..kept).map(|index| if index == second { best.choices[at + index].value.clone() } else { SIMPLEST }));
                candidate.extend(values(&best.choices, end..best.len()));
            });
            if search.improvements() > improvements {
                return true;
            }
        }
    }
    false
}

fn elsewhere(search: &mut Search<'_>, at: usize, higher: i128) -> bool {
    for index in collections(search.spans()) {
        let elements = elements(search.choices(), search.spans(), index);
        if elements.len() > ELEMENTS_MAX {
            continue;
        }
        for gone in elements.into_iter().filter(|gone| !gone.contains(&at)) {
            let verdict = search.attempt(|best, candidate| {
                candidate.extend(values(&best.choices, 0..best.len()));
                candidate[at] = as_alternative(&best.choices[at], higher);
                candidate.drain(gone);
            });
            if verdict == Verdict::Better {
                return true;
            }
        }
    }
    false
}

const ELEMENTS_MAX: usize = 6;

/// Behind what follows from the alternative at `at`.
fn end_of(search: &Search<'_>, at: usize) -> Option<usize> {
    let begins = |span: &&crate::trace::Span| span.start as usize == at && span.label != Label::COLLECTION && span.label != Label::DRAW;
    search.spans().iter().rfind(begins).map(|span| span.end as usize)
}

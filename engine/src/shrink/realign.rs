//! Tries a change that may alter how many choices a span takes, and moves the following choices
//! back into place.

use super::place::{owners, values};
use super::search::{Search, Verdict};
use crate::choice::Value;
use crate::trace::Trace;

/// How many spans around a change are put right, from the inside out.
const LEVELS_MAX: usize = 4;

/// Tries the candidate that `write` makes from the best, with a change inside the span that holds
/// the choice `at`.
///
/// If that span then takes fewer or more choices, the target read the choices behind it at wrong
/// places. The candidate is then tried again, with these choices moved to the new end of the span.
/// `MacIver` and Donaldson 2020, figure 6.
pub(super) fn attempt(
    search: &mut Search<'_>,
    at: usize,
    write: impl FnOnce(&Trace, &mut Vec<Value>),
) -> Verdict {
    let verdict = search.attempt(write);
    if verdict.holds() {
        return verdict;
    }
    for candidate in realigned(search, at) {
        let verdict = search.attempt(|_, values| *values = candidate);
        if verdict.holds() {
            return verdict;
        }
    }
    Verdict::Worse
}

fn realigned(search: &Search<'_>, at: usize) -> Vec<Vec<Value>> {
    let mut candidates: Vec<Vec<Value>> = Vec::new();
    let Some(trial) = search.trial() else { return candidates };
    let best = search.best();
    let mut around = owners(&best.choices, &best.spans).get(at).copied().flatten();
    let mut last = None;
    while let Some(index) = around
        && candidates.len() < LEVELS_MAX
    {
        let was = best.spans[index];
        let Some(now) =
            trial.spans.get(index).filter(|now| now.label == was.label && now.start == was.start)
        else {
            break;
        };
        // Of several spans that end together, one is enough.
        if now.end != was.end
            && last != Some((now.end, was.end))
            && now.end as usize + best.len() - was.end as usize <= best.len()
        {
            last = Some((now.end, was.end));
            candidates.push(
                values(&trial.choices, 0..now.end as usize)
                    .chain(values(&best.choices, was.end as usize..best.len()))
                    .collect(),
            );
        }
        around = was.parent.map(|parent| parent as usize);
    }
    candidates
}

//! Deletes elements of collections, as many at once as possible.

use std::ops::Range;

use super::gallop::Gallop;
use super::kept::part;
use super::place::{Number, elements, values};
use super::search::{Fruitless, Search, Verdict};
use crate::choice::Value;
use crate::trace::Span;

/// From this many choices on, each candidate takes long, and a pass makes very many of them.
const LARGE: usize = 4096;
/// A collection with less than one in this many choices is left to the other passes.
const SHARE: usize = 8;

/// Keeps a small part of each large collection of a large trace.
pub(super) fn most(search: &mut Search<'_>) {
    if search.len() < LARGE {
        return;
    }
    search.each_collection(|search, index| {
        let units = |search: &Search<'_>| {
            let is_large = search.len() >= LARGE
                && search.spans().get(index).is_some_and(|span| span.len() * SHARE >= search.len());
            if is_large { elements(search.choices(), search.spans(), index) } else { Vec::new() }
        };
        part(
            search,
            1,
            |search| units(search).len(),
            |search, front, back| {
                let units = units(search);
                let gone = units[front].start..units[units.len() - 1 - back].end;
                without(search, gone, None) == Verdict::Better
            },
        );
    });
}

/// Leaves a collection as soon as two elements in a row are needed. This is cheap even on ten
/// thousand elements.
pub(super) fn quick(search: &mut Search<'_>) {
    search.each_collection(|search, index| collection(search, index, Some(2)));
}

/// Tries to delete every element.
pub(super) fn full(search: &mut Search<'_>) {
    search.each_collection(|search, index| collection(search, index, None));
}

fn collection(search: &mut Search<'_>, index: usize, fruitless_max: Option<usize>) {
    if count(search, index) > 0 {
        runs(search, fruitless_max, false, &|search| {
            elements(search.choices(), search.spans(), index)
        });
    }
}

/// Deletes runs of `units`, from the last unit to the first. If `are_counted`, a number in front of
/// the units may count them, and is lowered together with a deletion that does not hold alone.
pub(super) fn runs(
    search: &mut Search<'_>,
    fruitless_max: Option<usize>,
    are_counted: bool,
    units: &dyn Fn(&Search<'_>) -> Vec<Range<usize>>,
) {
    let remove = |search: &mut Search<'_>, first_unit: usize, end: usize| {
        let units = units(search);
        let (Some(first), Some(last)) = (units.get(first_unit), units.get(end - 1)) else {
            return Verdict::Worse;
        };
        let (gone, front) = (first.start..last.end, units[0].clone());
        let count = end - first_unit;
        let verdict = without(search, gone.clone(), None);
        if verdict == Verdict::Better || !are_counted || has_fewer_like(search, &front) {
            return verdict;
        }
        let counts = (0..front.start).rev().filter_map(|at| {
            let number = Number::of(&search.choices()[at])?;
            Some((at, number.at(number.distance().checked_sub(count as u128)?)?))
        });
        let counts: Vec<(usize, Value)> = counts.take(COUNTS_MAX).collect();
        if counts
            .into_iter()
            .any(|count| without(search, gone.clone(), Some(count)) == Verdict::Better)
        {
            return Verdict::Better;
        }
        verdict
    };
    let mut end = units(search).len();
    if end > 1 && remove(search, 0, end).holds() {
        return;
    }
    let mut fruitless = 0;
    while end > 0 && !search.is_stopped() {
        let before = end;
        let mut gallop = Gallop::new();
        while let Some(step) = gallop.step() {
            let wanted = step.min(end);
            let went = wanted > 0 && remove(search, end - wanted, end) == Verdict::Better;
            if went {
                end = (end - wanted).min(units(search).len());
            }
            gallop.went(went);
        }
        if end == before {
            fruitless += 1;
            if fruitless_max.is_some_and(|max| fruitless >= max) {
                return;
            }
        } else {
            fruitless = 0;
        }
        end = end.saturating_sub(1);
        // Among equal units in a row, it makes no difference which one goes.
        let units = units(search);
        while let Some([one, other]) = end.checked_sub(1).and_then(|first| units.get(first..=end))
            && is_same(search, one, other)
        {
            end -= 1;
        }
    }
}

/// Whether the last candidate drew fewer spans like the one that begins this unit of the best. If
/// it drew as many, a number says how many there are. Without such a span, whether it drew fewer
/// choices.
fn has_fewer_like(search: &Search<'_>, unit: &Range<usize>) -> bool {
    let Some(trial) = search.trial() else { return false };
    let begins = |span: &&Span| {
        span.start as usize == unit.start && span.end as usize <= unit.end && !span.is_empty()
    };
    search.spans().iter().find(begins).map_or(trial.len() < search.len(), |span| {
        let count = |spans: &[Span]| spans.iter().filter(|other| other.label == span.label).count();
        count(&trial.spans) < count(search.spans())
    })
}

/// How many numbers in front of a loop may count its rounds.
const COUNTS_MAX: usize = 2;

/// Tries the best without these choices, and with another value at a place in front of them.
pub(super) fn without(
    search: &mut Search<'_>,
    gone: Range<usize>,
    change: Option<(usize, Value)>,
) -> Verdict {
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..gone.start));
        candidate.extend(values(&best.choices, gone.end..best.len()));
        if let Some((at, value)) = change {
            candidate[at] = value;
        }
    })
}

fn is_same(search: &Search<'_>, one: &Range<usize>, other: &Range<usize>) -> bool {
    one.len() == other.len()
        && one
            .clone()
            .zip(other.clone())
            .all(|(one, other)| search.choices()[one].value == search.choices()[other].value)
}

fn count(search: &Search<'_>, index: usize) -> usize {
    elements(search.choices(), search.spans(), index).len()
}

const FRUITLESS_PAIRS: u64 = 100;

/// Deletes two elements of one collection, next to each other or up to three places apart. It helps
/// where neither element can go alone.
pub(super) fn pairs(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_PAIRS);
    search.each_collection(|search, index| {
        let mut end = count(search, index);
        while end > 1 && !fruitless.is_enough(search) {
            for apart in 1..=3 {
                let ranges = elements(search.choices(), search.spans(), index);
                let Some(first) = end.checked_sub(apart + 1) else { break };
                let (Some(one), Some(other)) = (ranges.get(first), ranges.get(end - 1)) else {
                    break;
                };
                let (one, other) = (one.clone(), other.clone());
                search.attempt(|best, candidate| {
                    candidate.extend(values(&best.choices, 0..one.start));
                    candidate.extend(values(&best.choices, one.end..other.start));
                    candidate.extend(values(&best.choices, other.end..best.len()));
                });
            }
            end = (end - 1).min(count(search, index));
        }
    });
}

//! Puts siblings in order, the simplest first.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use super::place::{alternative, as_alternative, collections, elements, values};
use super::search::{Search, Verdict};
use crate::choice::{Choice, Value};
use crate::order::compare_choices;
use crate::sorted::sort_by;
use crate::trace::{Label, Span};

/// How many swaps in a row may fail before the order of a group counts as needed.
const FRUITLESS_MAX: usize = 30;

/// Sorts groups of siblings with one label. It sorts the whole group at once, or else swaps
/// siblings that are one, two or three places apart.
pub(super) fn siblings(search: &mut Search<'_>) {
    let mut groups = groups(search.spans());
    let mut index = 0;
    while let Some(group) = groups.get(index)
        && !search.is_stopped()
    {
        let improvements = search.improvements();
        let mut sorted = group.clone();
        sort_by(&mut sorted, |one, other| compare(search.choices(), one, other));
        if sorted != *group && reorder(search, group, &sorted) != Verdict::Better {
            for apart in [1, 2, 3] {
                swaps(search, index, apart);
            }
        }
        if search.improvements() > improvements {
            groups = self::groups(search.spans());
        }
        index += 1;
    }
}

fn swaps(search: &mut Search<'_>, index: usize, apart: usize) {
    let group =
        |search: &Search<'_>| groups(search.spans()).get(index).cloned().unwrap_or_default();
    let mut siblings = group(search);
    let mut fruitless = 0;
    let mut at = 0;
    while at + apart < siblings.len() && fruitless < FRUITLESS_MAX && !search.is_stopped() {
        if compare(search.choices(), &siblings[at], &siblings[at + apart]).is_gt() {
            let mut swapped = siblings.clone();
            swapped.swap(at, at + apart);
            if reorder(search, &siblings, &swapped) == Verdict::Better {
                siblings = group(search);
                fruitless = 0;
                // The sibling that moved forward may go further.
                at = at.saturating_sub(1);
                continue;
            }
            fruitless += 1;
        }
        at += 1;
    }
}

/// Deletes one element of a small collection and swaps two of the others.
pub(super) fn without_one(search: &mut Search<'_>) {
    for index in collections(search.spans()) {
        if index >= search.spans().len() {
            return;
        }
        let group = elements(search.choices(), search.spans(), index);
        if !(3..=ELEMENTS_MAX).contains(&group.len()) {
            continue;
        }
        for gone in 0..group.len() {
            let rest: Vec<Range<usize>> = group
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != gone)
                .map(|(_, range)| range.clone())
                .collect();
            for one in 0..rest.len() {
                for other in one + 1..rest.len() {
                    let mut order = rest.clone();
                    order.swap(one, other);
                    if replace_all(search, &group, &order) == Verdict::Better {
                        return;
                    }
                }
            }
        }
    }
}

const ELEMENTS_MAX: usize = 6;

fn replace_all(search: &mut Search<'_>, group: &[Range<usize>], order: &[Range<usize>]) -> Verdict {
    search.attempt(|best, candidate| {
        candidate.extend(values(&best.choices, 0..group[0].start));
        for range in order {
            candidate.extend(values(&best.choices, range.clone()));
        }
        candidate.extend(values(&best.choices, group[group.len() - 1].end..best.len()));
    })
}

/// The groups of siblings with one label, each with at least two members.
fn groups(spans: &[Span]) -> Vec<Vec<Range<usize>>> {
    let mut groups: Vec<Vec<Range<usize>>> = Vec::new();
    let mut places: HashMap<(Option<u32>, Label), usize> = HashMap::new();
    for span in spans.iter().filter(|span| !span.is_empty()) {
        let place = *places.entry((span.parent, span.label)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) if group.last().is_some_and(|last| last.end <= span.start as usize) => {
                group.push(span.range());
            }
            Some(_) => {}
            None => groups.push(vec![span.range()]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

fn compare(choices: &[Choice], one: &Range<usize>, other: &Range<usize>) -> Ordering {
    let (one, other) = (&choices[one.clone()], &choices[other.clone()]);
    let first = |choices: &[Choice]| choices.first().and_then(alternative);
    // Fused and unfused alternatives have different values, so their indices are compared first.
    first(one).cmp(&first(other)).then_with(|| {
        one.iter()
            .zip(other)
            .map(|(one, other)| compare_choices(one, other))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| one.len().cmp(&other.len()))
    })
}

fn reorder(search: &mut Search<'_>, places: &[Range<usize>], contents: &[Range<usize>]) -> Verdict {
    search.attempt(|best, candidate: &mut Vec<Value>| {
        let mut at = 0;
        for (place, content) in places.iter().zip(contents) {
            candidate.extend(values(&best.choices, at..place.start));
            let begin = candidate.len();
            candidate.extend(values(&best.choices, content.clone()));
            if let Some(index) = alternative(&best.choices[content.start]) {
                candidate[begin] = as_alternative(&best.choices[place.start], index);
            }
            at = place.end;
        }
        candidate.extend(values(&best.choices, at..best.len()));
    })
}

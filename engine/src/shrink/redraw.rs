//! Puts the shortest part in the place of longer ones, and draws its values anew. A small part may
//! produce what a large part produced.

use std::ops::Range;

use super::alternative::second_simplest;
use super::place::{Number, is_datum, may_hold_itself, moved, parts_alike, values};
use super::search::{Search, Verdict};
use crate::choice::{Choice, Value};
use crate::random::Random;
use crate::trace::Span;

/// How many calls the pass spends for each choice that could go.
const CALLS_EACH: usize = 32;
/// The most calls for one way to replace parts.
const CALLS_MAX: usize = 400;

/// Works on each value that has parts of the same kind, as trees have. It replaces each longer
/// part, then all longer parts, then all parts, by the shortest one.
///
/// [`child`](super::child) takes parts as they are. This pass is for a tree whose values only arise
/// from its branches.
pub(super) fn each(search: &mut Search<'_>) {
    for index in 0..search.spans().len() {
        if search.is_stopped() {
            return;
        }
        for places in places(search.spans(), index) {
            if replace(search, index, &places) || search.is_stopped() {
                return;
            }
        }
    }
}

/// The shortest span with the label of the one at `index`.
fn shortest(spans: &[Span], index: usize) -> Range<usize> {
    let alike = spans.iter().filter(|span| span.label == spans[index].label && !span.is_empty());
    alike.min_by_key(|span| span.len()).map_or(0..0, Span::range)
}

/// The sets of parts that the pass replaces together, those with the fewest parts first.
fn places(spans: &[Span], index: usize) -> Vec<Vec<Range<usize>>> {
    if !may_hold_itself(spans[index].label) {
        return Vec::new();
    }
    let all = parts_alike(spans, index);
    if all.is_empty() {
        return Vec::new();
    }
    let least = shortest(spans, index).len();
    let longer: Vec<Range<usize>> = all.iter().filter(|part| part.len() > least).cloned().collect();
    let mut ways: Vec<Vec<Range<usize>>> = longer.iter().map(|part| vec![part.clone()]).collect();
    if longer.len() > 1 {
        ways.push(longer.clone());
    }
    if !longer.is_empty() && all.len() > longer.len() {
        ways.push(all);
    }
    ways
}

fn replace(search: &mut Search<'_>, index: usize, places: &[Range<usize>]) -> bool {
    let shortest = shortest(search.spans(), index);
    let saved: usize = places.iter().map(|place| place.len() - shortest.len()).sum();
    for seed in 0..(saved * CALLS_EACH).min(CALLS_MAX) {
        let mut random = Random::flat(seed as u64);
        let verdict = search.attempt(|best, candidate| {
            let mut at = 0;
            for place in places {
                candidate.extend(values(&best.choices, at..place.start));
                let begin = candidate.len();
                candidate.extend(moved(
                    &best.choices,
                    shortest.clone(),
                    &best.choices[place.start],
                ));
                for (value, choice) in candidate[begin..]
                    .iter_mut()
                    .zip(&best.choices[shortest.clone()])
                    .filter(|(_, choice)| is_datum(choice))
                {
                    *value = anew(&mut random, choice, &best.choices);
                }
                at = place.end;
            }
            candidate.extend(values(&best.choices, at..best.len()));
        });
        if verdict == Verdict::Better {
            return true;
        }
        if search.is_stopped() {
            return false;
        }
    }
    false
}

/// Draws one of the two simplest values, one that stands elsewhere in the trace, a limit, or any
/// value.
fn anew(random: &mut Random, choice: &Choice, all: &[Choice]) -> Value {
    match random.below(9) {
        0..3 => choice.constraint.simplest(),
        3..5 => second_simplest(choice),
        5..7 => borrowed(random, choice, all),
        7 => limit(random, choice).unwrap_or_else(|| random.next(&choice.constraint, all)),
        _ => random.next(&choice.constraint, all),
    }
}

/// The greatest number, half of it, or the first number beyond that half. Signs and carries change
/// there.
fn limit(random: &mut Random, choice: &Choice) -> Option<Value> {
    let max = Number::of(choice)?.range.max;
    let value = [max, max / 2, max / 2 + 1][random.below(3)];
    Some(choice.constraint.nearest(&Value::Integer(value)))
}

fn borrowed(random: &mut Random, choice: &Choice, all: &[Choice]) -> Value {
    let allowed: Vec<&Choice> = all
        .iter()
        .filter(|other| {
            is_datum(other) && !other.is_simplest() && choice.constraint.allows(&other.value)
        })
        .collect();
    if allowed.is_empty() {
        choice.value.clone()
    } else {
        allowed[random.below(allowed.len())].value.clone()
    }
}

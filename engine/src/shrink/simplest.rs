//! Sets values to their simplest: whole classes first, then as many in a row as possible.

use std::collections::HashMap;

use super::gallop::Gallop;
use super::length;
use super::place::{self, Number, is_datum, owners};
use super::search::{Search, Verdict};
use crate::choice::{Choice, Constraint, IntegerRange};
use crate::trace::{Label, Span};

/// Sets all values of one class at once. A class is the values that were drawn from one constraint
/// in spans of one label.
pub(super) fn classes(search: &mut Search<'_>) {
    let mut at = 0;
    let mut tried: Vec<(Option<Label>, Constraint)> = Vec::new();
    let mut owners = owners(search.choices(), search.spans());
    while at < search.len() && tried.len() < CLASSES_MAX && !search.is_stopped() {
        let choice = &search.choices()[at];
        if is_datum(choice) && !choice.is_simplest() {
            let class = (
                owners[at].and_then(|owner| label(search.spans()[owner])),
                choice.constraint.clone(),
            );
            if !tried.contains(&class) {
                let verdict = search.attempt(|best, candidate| {
                    candidate.extend(best.choices.iter().zip(&owners).map(|(choice, owner)| {
                        let same = choice.constraint == class.1
                            && owner.and_then(|owner| label(best.spans[owner])) == class.0;
                        if same { choice.constraint.simplest() } else { choice.value.clone() }
                    }));
                });
                tried.push(class);
                if verdict == Verdict::Better {
                    owners = place::owners(search.choices(), search.spans());
                }
            }
        }
        at += 1;
    }
}

/// The label of a span, without the place of a draw: many places draw the same.
fn label(span: Span) -> Option<Label> {
    (!span.label.is_draw()).then_some(span.label)
}

/// A trace with more classes than this has no regular shape to use.
const CLASSES_MAX: usize = 32;

/// After this many equal values were needed, the pass skips the other equal ones.
const STUCK_MAX: u32 = 8;
/// After this many needed numbers of one range in a row, the pass leaves the rest to the passes
/// that lower numbers.
const IN_A_ROW_MAX: u32 = 16;
/// How many different values the pass remembers.
const VALUES_MAX: usize = 64;

/// Sets as many values in a row as possible to the simplest, from the first one on.
pub(super) fn values(search: &mut Search<'_>) {
    let mut stuck: Vec<(Choice, u32)> = Vec::new();
    let mut in_a_row: HashMap<IntegerRange, u32> = HashMap::new();
    let mut at = 0;
    while at < search.len() && !search.is_stopped() {
        let choice = &search.choices()[at];
        let known = stuck.iter().position(|(other, _)| other == choice);
        let range = Number::of(choice).map(|number| number.range);
        let is_left_to_others = range
            .is_some_and(|range| in_a_row.get(&range).is_some_and(|count| *count >= IN_A_ROW_MAX));
        if !is_datum(choice)
            || choice.is_simplest()
            || known.is_some_and(|known| stuck[known].1 >= STUCK_MAX)
            || is_left_to_others
        {
            at += 1;
            continue;
        }
        let improvements = search.improvements();
        let mut gallop = Gallop::new();
        while let Some(step) = gallop.step() {
            let end = run_end(search, at, step);
            let holds = end > at
                && search
                    .attempt(|best, candidate| {
                        candidate.extend(best.choices.iter().enumerate().map(|(index, choice)| {
                            if (at..end).contains(&index) && is_datum(choice) {
                                choice.constraint.simplest()
                            } else {
                                choice.value.clone()
                            }
                        }));
                    })
                    .holds();
            if holds {
                at = end.min(search.len());
            } else if step == 1 && at < search.len() {
                length::lower(search, at);
                match known {
                    Some(known) => stuck[known].1 += 1,
                    None if stuck.len() < VALUES_MAX => {
                        stuck.push((search.choices()[at].clone(), 1));
                    }
                    None => {}
                }
            }
            gallop.went(holds);
        }
        if let Some(range) = range {
            let count = in_a_row.entry(range).or_default();
            *count = if search.improvements() > improvements { 0 } else { *count + 1 };
        }
        at += 1;
    }
}

/// Returns the place behind the `count`th value from `at` on that is not the simplest.
fn run_end(search: &Search<'_>, at: usize, count: usize) -> usize {
    let places = search
        .choices()
        .iter()
        .enumerate()
        .skip(at)
        .filter(|(_, choice)| is_datum(choice) && !choice.is_simplest());
    places.take(count).last().map_or(at, |(index, _)| index + 1)
}

//! Puts one element of another kind in the place of two.

use std::ops::Range;

use super::place::{Number, alternative, as_alternative, collections, elements, values};
use super::runs::runs;
use super::search::{Fruitless, Search, Verdict};
use crate::choice::{Choice, Constraint, Role, Value};
use crate::trace::{Label, Trace};

const FRUITLESS_MAX: u64 = 400;
/// The pass tries alternatives up to this index.
const ALTERNATIVES_MAX: i128 = 12;
/// The pass sets the data of the new element to distances from 0 to this number.
const VALUES: i128 = 3;

/// Changes each element that has an alternative into another one, drawn anew, and deletes an
/// element elsewhere.
///
/// One step of a program may do in larger pieces what others do: three times one, or once three.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS_MAX);
    for index in collections(search.spans()) {
        let all = elements(search.choices(), search.spans(), index);
        let runs = runs(search.choices(), &all);
        let places: Vec<(usize, usize)> = runs
            .iter()
            .filter_map(|run| {
                Some((run.start, place_of_alternative(search.choices(), &all[run.start])?))
            })
            .collect();
        // Of equal elements in a row, it makes no difference which one goes.
        for ((kept, at), gone) in places
            .iter()
            .flat_map(|place| runs.iter().map(move |gone| (*place, gone.end - 1)))
            .filter(|((kept, _), gone)| kept != gone)
        {
            if fruitless.is_enough(search) || replaced(search, &all[kept], at, &all[gone]) {
                return;
            }
        }
    }
}

fn place_of_alternative(choices: &[Choice], element: &Range<usize>) -> Option<usize> {
    element.clone().find(|at| alternative(&choices[*at]).is_some())
}

/// Tries each other alternative at `at` in `kept`, without `gone`. Returns whether one became the
/// best.
fn replaced(search: &mut Search<'_>, kept: &Range<usize>, at: usize, gone: &Range<usize>) -> bool {
    let choice = search.choices()[at].clone();
    let (Some(taken), Constraint::Integer(range)) = (alternative(&choice), &choice.constraint)
    else {
        return false;
    };
    let last = range.max - i128::from(range.role == Role::Element);
    for other in (0..=last.min(ALTERNATIVES_MAX)).filter(|other| *other != taken) {
        let try_with = |search: &mut Search<'_>, content: &[Value]| {
            let verdict = search.attempt(|best, candidate| {
                candidate.extend(values(&best.choices, 0..at));
                candidate.push(as_alternative(&choice, other));
                candidate.extend_from_slice(content);
                let rest = candidate.len();
                candidate.extend(values(&best.choices, kept.end..best.len()));
                let gone = if gone.start < at {
                    gone.clone()
                } else {
                    gone.start - kept.end + rest..gone.end - kept.end + rest
                };
                candidate.drain(gone);
            });
            verdict == Verdict::Better
        };
        if try_with(search, &[]) {
            return true;
        }
        let shift = if gone.start < at { gone.len() } else { 0 };
        let drawn = search
            .trial()
            .map(|trial| content(trial, kept.start - shift, at - shift))
            .unwrap_or_default();
        if drawn.is_empty() {
            continue;
        }
        for step in 0..=VALUES {
            if try_with(
                search,
                &drawn.iter().map(|choice| raised(choice, step)).collect::<Vec<_>>(),
            ) {
                return true;
            }
        }
    }
    false
}

/// What the element that begins at `start` drew behind the alternative at `at`.
fn content(trial: &Trace, start: usize, at: usize) -> Vec<Choice> {
    let element = trial
        .spans
        .iter()
        .find(|span| span.label == Label::ELEMENT && span.start as usize == start);
    element
        .and_then(|element| trial.choices.get(at + 1..element.end as usize))
        .unwrap_or_default()
        .to_vec()
}

/// The value at the distance `step` above the simplest, if there is one. For a choice that is no
/// number, this is the simplest value.
fn raised(choice: &Choice, step: i128) -> Value {
    Number::of(choice)
        .and_then(|number| number.at_offset(step))
        .unwrap_or_else(|| choice.constraint.simplest())
}

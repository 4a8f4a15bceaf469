//! The nearest input that passes: one small step away from the minimized failure.

use super::single::is_inside;
use crate::choice::{Choice, Value};
use crate::explain::classes::claims::{Claim, Passing, Place, Says, Step};
use crate::explain::classes::draw::{Piece, put_in};
use crate::explain::classes::redraw::{Redrawn, other_alternatives};
use crate::explain::classes::study::Study;
use crate::explain::classes::targeted;
use crate::explain::classes::trials::TrialVerdict;
use crate::shrink::place::is_datum;
use crate::sorted::sort_by_key;

/// A number changes by at most two to the power of this.
const DOUBLINGS: u32 = 40;
/// How many draws of an empty collection are tried.
const DRAWS: usize = 12;

/// Looks for the smallest step after which the target passes. The steps in order:
///
/// - Change a number by one.
/// - Change a boolean or an alternative.
/// - Delete an element.
/// - Change a number by more.
/// - Take another value.
/// - Add elements to an empty collection.
///
/// A passing input must pass twice.
pub(crate) fn find(study: &mut Study<'_>, claims: &[Claim]) -> Option<Passing> {
    // Of a value that only has to be deep, a part may matter.
    let is_deep = |claim: &&Claim| matches!(claim.says, Says::Deep(_));
    let claims: Vec<Claim> = claims.iter().filter(|claim| !is_deep(claim)).cloned().collect();
    let is_free = |study: &Study<'_>, at: usize| {
        is_inside(study, &claims, &(at..at + 1))
            || claims
                .iter()
                .any(|claim| claim.place == Place::Choice(at) && claim.says == Says::Any)
    };
    let bound: Vec<usize> = (0..study.base.len()).filter(|at| !is_free(study, *at)).collect();
    let numbers: Vec<usize> =
        bound.iter().copied().filter(|at| study.line(*at).is_some()).collect();
    let step_of_one = numbers.iter().find_map(|at| changed_by(study, *at, 1));
    step_of_one
        .or_else(|| bound.iter().find_map(|at| turned(study, *at)))
        .or_else(|| deleted(study))
        .or_else(|| {
            let further = (1..=DOUBLINGS).map(|bits| 1 << bits);
            further
                .into_iter()
                .find_map(|by| {
                    let at = numbers.iter().copied();
                    at.into_iter().find_map(|at| changed_by(study, at, by).map(|_| (at, by)))
                })
                .and_then(|(at, by)| smallest_change(study, at, by))
        })
        .or_else(|| bound.iter().find_map(|at| other_value(study, *at)))
        .or_else(|| begun(study))
}

fn passes(study: &mut Study<'_>, values: &[Value]) -> Option<()> {
    let is_passing = study.trials.run(values)?.verdict == TrialVerdict::Passes
        && study.trials.run_again(values)?.verdict == TrialVerdict::Passes;
    is_passing.then_some(())
}

fn changed(study: &mut Study<'_>, at: usize, value: Value) -> Option<Passing> {
    let choice = &study.base.choices[at];
    if value == choice.value || !choice.constraint.allows(&value) {
        return None;
    }
    let values = put_in(study.base, &[Piece::choice(0, at, value.clone())]);
    passes(study, &values)?;
    Some(Passing { place: Place::Choice(at), step: Step::Changed(value), values })
}

/// A number, lowered or raised by `by`.
fn changed_by(study: &mut Study<'_>, at: usize, by: i128) -> Option<Passing> {
    [-by, by].into_iter().find_map(|by| {
        let value = match study.base.choices[at].value {
            Value::Integer(value) => Value::Integer(value.checked_add(by)?),
            Value::Float(value) => Value::Float(value + by as f64),
            _ => return None,
        };
        changed(study, at, value)
    })
}

/// The smallest change of a number of which a change by `by` passes, and one by half of it does
/// not.
fn smallest_change(study: &mut Study<'_>, at: usize, by: i128) -> Option<Passing> {
    let (mut bad, mut good) = (by / 2, by);
    let mut best = changed_by(study, at, by);
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        match changed_by(study, at, middle) {
            Some(passing) => (good, best) = (middle, Some(passing)),
            None => bad = middle,
        }
    }
    best
}

/// The other boolean, or another alternative.
fn turned(study: &mut Study<'_>, at: usize) -> Option<Passing> {
    let choice: &Choice = &study.base.choices[at];
    let mut values: Vec<Value> =
        other_alternatives(choice).into_iter().map(Value::Integer).collect();
    if let Value::Boolean(value) = choice.value
        && is_datum(choice)
    {
        values.push(Value::Boolean(!value));
    }
    values.into_iter().find_map(|value| changed(study, at, value))
}

/// One element of a collection goes.
fn deleted(study: &mut Study<'_>) -> Option<Passing> {
    let base = study.base;
    let elements: Vec<usize> = (0..base.spans.len())
        .filter_map(|span| study.tree.elements(base, span))
        .flatten()
        .collect();
    elements.into_iter().find_map(|element| {
        let gone = Piece::exchanged(base, element, Vec::new());
        let values = put_in(base, &[gone]);
        passes(study, &values)?;
        Some(Passing { place: Place::Span(element), step: Step::Deleted, values })
    })
}

/// An empty collection gets elements, few if possible.
fn begun(study: &mut Study<'_>) -> Option<Passing> {
    let base = study.base;
    let is_empty =
        |span: &usize| study.tree.elements(base, *span).is_some_and(|elements| elements.is_empty());
    let empty: Vec<usize> = (0..base.spans.len()).filter(is_empty).collect();
    empty.into_iter().find_map(|span| {
        let Study { tree, trials, redraws, .. } = study;
        let draw = |_| redraws.next(trials, (base, &*tree), span);
        let mut drawn: Vec<Redrawn> = (0..DRAWS).filter_map(draw).collect();
        drawn.retain(|redrawn| redrawn.choices.len() > 1);
        sort_by_key(&mut drawn, |redrawn| redrawn.choices.len());
        drawn.into_iter().find_map(|redrawn| {
            let values = put_in(base, &[Piece::span(0, base, span, redrawn)]);
            passes(study, &values)?;
            Some(Passing { place: Place::Span(span), step: Step::Begun, values })
        })
    })
}

/// Another value that a claim would be tried with.
fn other_value(study: &mut Study<'_>, at: usize) -> Option<Passing> {
    let choice = &study.base.choices[at];
    let mut values = targeted::values(choice, &[], &[]);
    sort_by_key(&mut values, |value| length(value).abs_diff(length(&choice.value)));
    values.into_iter().find_map(|value| changed(study, at, value))
}

fn length(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.chars().count(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => 1,
    }
}

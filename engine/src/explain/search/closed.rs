//! What a cause does not explain: collections of another length, and other last operations.
//!
//! A failing input contains a cause if further elements stand between those of the cause. Where a
//! fault needs a collection of one length, that would explain too much. And two operations that
//! fail in the minimized input may be two faults; then they come and go in different contexts.

use super::single::is_inside;
use crate::choice::{Choice, Value};
use crate::explain::causes::contexts::Contexts;
use crate::explain::classes::claims::{Claim, Place, Says};
use crate::explain::classes::draw::{Piece, put_in};
use crate::explain::classes::operations::last_element;
use crate::explain::classes::study::Study;
use crate::explain::classes::trials::TrialVerdict;
use crate::shrink::place::is_datum;
use crate::trace::Label;

/// How many further elements are tried in one collection, and how many of them must pass.
const TRIES: usize = 8;
const PASSING_MIN: usize = 4;
/// The most collections that are tried.
const COLLECTIONS_MAX: usize = 8;

/// The collections in which no further element fails, as spans.
pub(super) fn find(study: &mut Study<'_>, claims: &[Claim]) -> Vec<usize> {
    let base = study.base;
    let may_grow = |span: usize| {
        let is_claimed = |claim: &Claim| {
            claim.place == Place::Span(span) && matches!(claim.says, Says::Further(_))
        };
        claims.iter().any(is_claimed)
    };
    let spans = (0..base.spans.len()).filter(|span| {
        let range = base.spans[*span].range();
        base.spans[*span].label == Label::COLLECTION
            && !base.spans[*span].discarded
            && study.tree.elements(base, *span).is_some()
            && !may_grow(*span)
            && !is_inside(study, claims, &range)
    });
    let spans: Vec<usize> = spans.take(COLLECTIONS_MAX).collect();
    spans.into_iter().filter(|span| is_closed(study, *span)).collect()
}

fn is_closed(study: &mut Study<'_>, span: usize) -> bool {
    let elements = study.tree.elements(study.base, span).unwrap_or_default();
    let mut passed = 0;
    for attempt in 0..TRIES {
        let Some(values) = grown(study, span, &elements, attempt) else { continue };
        match study.trials.run(&values).map(|run| run.verdict) {
            Some(TrialVerdict::Fails) => return false,
            Some(TrialVerdict::Passes | TrialVerdict::FailsOtherwise) => passed += 1,
            Some(TrialVerdict::NoEvidence) => {}
            None => break,
        }
    }
    passed >= PASSING_MIN
}

/// The base with one more element in a collection, or with another collection in the place of an
/// empty one.
fn grown(
    study: &mut Study<'_>,
    span: usize,
    elements: &[usize],
    attempt: usize,
) -> Option<Vec<Value>> {
    let base = study.base;
    let Study { tree, trials, redraws, .. } = study;
    let Some(element) = elements.get(attempt / 2 % elements.len().max(1)) else {
        let redrawn = redraws.next(trials, (base, &*tree), span)?;
        let is_longer = redrawn.choices.len() > base.spans[span].len();
        return is_longer.then(|| put_in(base, &[Piece::span(0, base, span, redrawn)]));
    };
    let mut values = base.values();
    // First the simplest element. Then, every other time, an element stands twice.
    let further = if attempt == 0 {
        simplest(&base.choices[base.spans[*element].range()])
    } else if attempt.is_multiple_of(2) {
        values[base.spans[*element].range()].to_vec()
    } else {
        let redrawn = redraws.next(trials, (base, &*tree), *element)?;
        redrawn.choices.into_iter().map(|choice| choice.value).collect()
    };
    let last = elements.last().map_or(0, |last| base.spans[*last].end as usize);
    let is_last = attempt / 2 / elements.len() % 2 == 1 || attempt + 1 == TRIES;
    let at = if is_last { last } else { base.spans[*element].start as usize };
    values.splice(at..at, further);
    Some(values)
}

/// An element with the simplest data. In a sum it changes nothing.
fn simplest(element: &[Choice]) -> Vec<Value> {
    let value = |choice: &Choice| {
        if is_datum(choice) { choice.constraint.simplest() } else { choice.value.clone() }
    };
    element.iter().map(value).collect()
}

/// Other last operations that fail in the place of the last one, and not in all of its contexts.
pub(super) fn other_operations(study: &mut Study<'_>, claims: &[Claim]) -> Vec<i128> {
    let Some(last) = last_element(study.base) else { return Vec::new() };
    let mut apart = Vec::new();
    for claim in claims {
        let at = match claim.place {
            Place::Choice(at) => at,
            Place::Span(span) => study.base.spans[span].start as usize,
        };
        let Says::Alternatives(all) = &claim.says else { continue };
        if at != last.start {
            continue;
        }
        for alternative in all.iter().filter(|alternative| alternative.always_fails()) {
            let value = Value::Integer(alternative.value);
            let values = match claim.place {
                Place::Choice(at) => Some(put_in(study.base, &[Piece::choice(0, at, value)])),
                Place::Span(span) => {
                    let Study { base, tree, trials, redraws, .. } = study;
                    let drawn = redraws.with_alternative(trials, (base, &*tree), span, &value);
                    drawn.map(|drawn| put_in(base, &[Piece::span(0, base, span, drawn)]))
                }
            };
            let run = values.and_then(|values| study.trials.run(&values));
            if let Some(run) = run
                && run.verdict == TrialVerdict::Fails
                && Contexts::of(study.base, &run.trace).differ(study, &[])
            {
                apart.push(alternative.value);
            }
        }
    }
    apart
}

//! Numbers that say how often the target draws what follows, as `n` in
//! `for _ in 0..n { tc.draw(any::<Op>()) }`.
//!
//! Another number there moves all draws behind the loop, so the input cannot be tried with another
//! number alone. Then no claim frees it, and each number of rounds would seem to be a new cause. So
//! a few runs add rounds, with the number that they need. As for loose places, the report shows
//! nothing of this: it only decides what a cause explains.

use std::ops::Range;

use super::single::is_inside;
use crate::choice::{Constraint, Value};
use crate::explain::classes::claims::{Claim, Place, Says};
use crate::explain::classes::study::Study;
use crate::shrink::place::is_datum;
use crate::trace::{Span, Trace};

/// How often rounds are added, and how many of these runs must count.
const TRIES: usize = 12;
const TRIES_MIN: usize = 6;
/// At most this number of rounds are added.
const ROUNDS_MAX: i128 = 4;
/// The most numbers that are tried.
const NUMBERS_MAX: usize = 4;

/// The numbers with which at least half of the inputs with more rounds fail, as choices.
pub(crate) fn find(study: &mut Study<'_>, claims: &[Claim]) -> Vec<usize> {
    let base = study.base;
    let is_free = |at: usize| {
        is_inside(study, claims, &(at..at + 1))
            || claims
                .iter()
                .any(|claim| claim.place == Place::Choice(at) && claim.says == Says::Any)
    };
    let numbers = draws(base).into_iter().filter(|draw| {
        let choice = &base.choices[draw.start];
        let is_number = matches!(choice.constraint, Constraint::Integer(_)) && is_datum(choice);
        draw.len() == 1 && draw.end < base.len() && is_number && !is_free(draw.start)
    });
    let numbers: Vec<usize> = numbers.map(|draw| draw.start).take(NUMBERS_MAX).collect();
    numbers.into_iter().filter(|at| is_count(study, *at)).collect()
}

/// The draws of the test case itself, in order.
fn draws(trace: &Trace) -> Vec<Range<usize>> {
    let is_draw = |span: &&Span| span.parent.is_none() && span.label.is_draw() && !span.is_empty();
    trace.spans.iter().filter(is_draw).map(Span::range).collect()
}

fn is_count(study: &mut Study<'_>, at: usize) -> bool {
    // Most numbers count nothing, and two runs show it.
    let has_rounds = (1..=2).any(|further| with_rounds(study, at, further).is_some());
    has_rounds
        && study.mostly_fails(TRIES, TRIES_MIN, |study, attempt| {
            with_rounds(study, at, 1 + attempt as i128 % ROUNDS_MAX)
        })
}

/// The base with further rounds behind the number at `at`. `None` if a run with a greater number
/// draws no rounds, or does not come to what the base draws next.
fn with_rounds(study: &mut Study<'_>, at: usize, further: i128) -> Option<Vec<Value>> {
    let base = study.base;
    let Value::Integer(own) = base.choices[at].value else { return None };
    let number = Value::Integer(own.checked_add(further)?);
    if !base.choices[at].constraint.allows(&number) {
        return None;
    }
    let mut values = base.values();
    values.truncate(at);
    values.push(number);
    let seed = study.rng.u64(..);
    let run = study.trials.run_random(&values, seed)?;
    let end = end_of_rounds(base, &run.trace, at, usize::try_from(further).ok()?)?;
    let rounds = run.trace.choices[at + 1..end].iter().map(|choice| choice.value.clone());
    values.extend(rounds);
    values.extend(base.choices[at + 1..].iter().map(|choice| choice.value.clone()));
    Some(values)
}

/// Where the first `further` rounds end that a run draws behind the number at `at`. The base goes
/// on there with its own rounds, or with what it draws behind the loop.
fn end_of_rounds(base: &Trace, run: &Trace, at: usize, further: usize) -> Option<usize> {
    let draws = |trace: &Trace| {
        let is_behind = |span: &&Span| {
            span.parent.is_none() && span.label.is_draw() && span.start as usize > at
        };
        let behind = trace.spans.iter().filter(is_behind);
        behind.map(|span| (span.label, span.start as usize)).collect::<Vec<_>>()
    };
    let ((next, _), of_run) = (*draws(base).first()?, draws(run));
    let has_rounds = of_run.first()?.0 == next;
    let mut ends = of_run.into_iter().filter(|(label, _)| *label == next).map(|(_, start)| start);
    ends.nth(if has_rounds { further } else { 0 })
}

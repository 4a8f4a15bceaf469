//! Tries smaller sequences one by one, over few values and within a cap.

use super::alternative::second_simplest;
use super::place::{Number, owners, values};
use super::search::{Search, Verdict};
use crate::choice::{Choice, Constraint, Value};
use crate::order::compare_choices;
use crate::trace::Label;

/// Traces with more choices have too many smaller sequences to try.
const CHOICES_MAX: usize = 24;
/// How many values of the trace a choice may take besides its two simplest.
const BORROWED_MAX: usize = 3;

/// How many calls the enumeration may make without finding anything. It is worth this much to know
/// that there is nothing.
const CALLS_MAX: u64 = 600;
/// How many sequences the enumeration may try for each lower value. Sequences that are answered
/// from memory count, too.
const TRIES_MAX: u64 = 20_000;

/// Keeps a beginning of the best, lowers the choice behind it, and completes that with every
/// sequence over a few values. These values are the two simplest of each choice and those that
/// stand in the trace. The leftmost choice is lowered first, since its results are the simplest.
///
/// The pass does not cover sequences that are shorter but begin with a less simple choice. The
/// search then knows how many sequences it ruled out.
pub(super) fn complete(search: &mut Search<'_>) {
    if search.no_smaller_among().is_some() {
        return;
    }
    let improvements = search.improvements();
    let tries = enumerate(search);
    if search.improvements() == improvements {
        search.set_no_smaller_among(tries);
    }
}

/// Returns how many sequences it tried, if it tried all of them.
fn enumerate(search: &mut Search<'_>) -> Option<u64> {
    if search.len() > CHOICES_MAX {
        return None;
    }
    let improvements = search.improvements();
    let known: Vec<Value> = known(search);
    let mut completion = Completion {
        known: &known,
        calls_max: search.calls() + CALLS_MAX,
        tries_left: 0,
        is_cut_short: false,
        lengthening: Vec::new(),
    };
    let mut tries = 0;
    for at in 0..search.len() {
        let choice = search.choices()[at].clone();
        let one_less = Number::of(&choice)
            .filter(|number| number.distance() > 2)
            .and_then(|number| number.at(number.distance() - 1));
        for lower in alphabet(&choice, &known)
            .into_iter()
            .chain(one_less)
            .filter(|lower| is_simpler(lower, &choice))
        {
            let prefix: Vec<Value> = values(search.choices(), 0..at).chain([lower]).collect();
            completion.tries_left = TRIES_MAX;
            completion.run(search, &prefix, &choice, None);
            tries += TRIES_MAX - completion.tries_left;
            if search.improvements() > improvements {
                return None;
            }
        }
    }
    (!completion.is_cut_short).then_some(tries)
}

/// Completes a beginning in every way, within the limits.
struct Completion<'a> {
    known: &'a [Value],
    calls_max: u64,
    tries_left: u64,
    /// Whether a limit kept the enumeration from trying all sequences.
    is_cut_short: bool,
    /// Values that made a sequence of the greatest length longer still, by the kind of choice.
    lengthening: Vec<(Kind, Value)>,
}

type Kind = (Option<Label>, Constraint);

impl Completion<'_> {
    /// Tries `prefix` with the simplest values behind it. The last value of `prefix` replaces the
    /// choice `instead`, which was drawn there. For each choice behind `prefix`, it then tries the
    /// other values with all that may follow. Returns whether to stop.
    fn run(
        &mut self,
        search: &mut Search<'_>,
        prefix: &[Value],
        instead: &Choice,
        last: Option<Kind>,
    ) -> bool {
        if search.calls() >= self.calls_max || self.tries_left == 0 || search.is_stopped() {
            self.is_cut_short = true;
            return true;
        }
        self.tries_left -= 1;
        let length = prefix.len();
        let mut verdict = search.attempt(|_, candidate| candidate.extend_from_slice(prefix));
        if verdict == Verdict::Worse && search.trial().is_none() && Number::of(instead).is_none() {
            verdict = search.run_again(prefix);
        }
        if verdict == Verdict::Better {
            return true;
        }
        let (drawn, owners) = match search.trial() {
            Some(trial) => (
                trial.choices.clone(),
                owners(&trial.choices, &trial.spans)
                    .iter()
                    .map(|owner| owner.map(|owner| trial.spans[owner].label))
                    .collect(),
            ),
            // The trace of this candidate is forgotten, so the shape of the best stands in for it.
            // Another number seldom changes the shape.
            None => (as_the_best(search, prefix), Vec::new()),
        };
        if search.trial_overran() {
            self.lengthening.extend(last.zip(prefix.last().cloned()));
            return false;
        }
        let is_full = drawn.len() >= search.len();
        for at in (length..drawn.len()).rev() {
            let kind = (owners.get(at).copied().flatten(), drawn[at].constraint.clone());
            for other in alphabet(&drawn[at], self.known)
                .into_iter()
                .filter(|other| *other != drawn[at].value)
            {
                if is_full
                    && self
                        .lengthening
                        .iter()
                        .any(|(known, value)| *known == kind && *value == other)
                {
                    continue;
                }
                let longer: Vec<Value> = values(&drawn, 0..at).chain([other]).collect();
                if self.run(search, &longer, &drawn[at], is_full.then(|| kind.clone())) {
                    return true;
                }
            }
        }
        false
    }
}

/// The values of `prefix` and the simplest values behind them, under the constraints of the best.
fn as_the_best(search: &Search<'_>, prefix: &[Value]) -> Vec<Choice> {
    let length = search.trial_length().unwrap_or(search.len()).min(search.len());
    let places = search.choices()[..length].iter().enumerate();
    places
        .map(|(at, choice)| Choice {
            value: prefix.get(at).cloned().unwrap_or_else(|| choice.constraint.simplest()),
            constraint: choice.constraint.clone(),
        })
        .collect()
}

/// The different values of the trace that are not the simplest.
fn known(search: &Search<'_>) -> Vec<Value> {
    let mut known: Vec<Value> = Vec::new();
    for choice in search.choices().iter().filter(|choice| !choice.is_simplest()) {
        if !known.contains(&choice.value) {
            known.push(choice.value.clone());
        }
    }
    known
}

fn alphabet(choice: &Choice, known: &[Value]) -> Vec<Value> {
    let mut alphabet = vec![choice.constraint.simplest(), second_simplest(choice)];
    alphabet.retain(|value| choice.constraint.allows(value));
    let borrowed = known.iter().filter(|value| choice.constraint.allows(value)).take(BORROWED_MAX);
    for value in borrowed {
        if !alphabet.contains(value) {
            alphabet.push(value.clone());
        }
    }
    alphabet
}

fn is_simpler(value: &Value, than: &Choice) -> bool {
    compare_choices(&Choice { value: value.clone(), constraint: than.constraint.clone() }, than)
        .is_lt()
}

//! Tries what is smaller one by one, over few values and within a cap.

use super::alternative::second_simplest;
use super::place::{Number, owners, values};
use super::search::{Search, Verdict};
use crate::choice::{Choice, Constraint, Value};
use crate::order::compare_choices;
use crate::trace::Label;

/// Traces with more choices have too many smaller ones to try.
const CHOICES_MAX: usize = 24;
/// How many calls it may take without finding anything, in all and for each choice that is lowered.
const CALLS_MAX: u64 = 60;
const CALLS_MAX_EACH: u64 = 40;
/// The same with those answered from memory.
const TRIES_MAX: u32 = 500;
/// How many values of the trace a choice may take besides its simplest two.
const BORROWED_MAX: usize = 3;

/// Keeps a beginning of the best, lowers the choice behind it, and completes that with every sequence over a few values: the simplest two of each choice and
/// those that stand in the trace. The leftmost choice is lowered first, since what it finds is simplest.
///
/// It does not cover what is shorter but begins with a choice that is less simple.
pub(super) fn each(search: &mut Search<'_>) {
    if search.len() > CHOICES_MAX {
        return;
    }
    let start = search.calls();
    let improvements = search.improvements();
    let known: Vec<Value> = known(search);
    let mut completion = Completion { known: &known, calls_max: 0, tries: 0, lengthening: Vec::new() };
    for at in 0..search.len() {
        let calls_max = (start + CALLS_MAX).min(search.calls() + CALLS_MAX_EACH);
        let choice = search.choices()[at].clone();
        let one_less = Number::of(&choice).filter(|number| number.distance() > 2).and_then(|number| number.at(number.distance() - 1));
        for lower in alphabet(&choice, &known).into_iter().chain(one_less).filter(|lower| is_simpler(lower, &choice)) {
            let prefix: Vec<Value> = values(search.choices(), 0..at).chain([lower]).collect();
            (completion.calls_max, completion.tries) = (calls_max, 0);
            completion.run(search, &prefix, &choice, None);
            if search.improvements() > improvements {
                return;
            }
        }
    }
}

/// One way to complete a beginning.
struct Completion<'a> {
    known: &'a [Value],
    calls_max: u64,
    tries: u32,
    /// Values that made a sequence of the greatest length longer still, by the kind of choice.
    lengthening: Vec<(Kind, Value)>,
}

type Kind = (Option<Label>, Constraint);

impl Completion<'_> {
    /// Tries `prefix`, the last value of which stands for another that was drawn there, with the simplest values behind it; then, for each choice behind it, the
    /// other values with all that may follow. Whether to stop.
    fn run(&mut self, search: &mut Search<'_>, prefix: &[Value], instead: &Choice, last: Option<Kind>) -> bool {
        self.tries += 1;
        if search.calls() >= self.calls_max || self.tries > TRIES_MAX || search.is_stopped() {
            return true;
        }
        let length = prefix.len();
        let mut verdict = search.attempt(|_, candidate| candidate.extend_from_slice(prefix));
        if verdict == Verdict::Worse && search.trial().is_none() && Number::of(instead).is_none() {
            verdict = search.run_again(prefix);
        }
        if verdict == Verdict::Better {
            return true;
        }
        let (drawn, owners) = match search.trial() {
            Some(trial) => {
                (trial.choices.clone(), owners(&trial.choices, &trial.spans).iter().map(|owner| owner.map(|owner| trial.spans[owner].label)).collect())
            }
            // It was run before and is forgotten: another number seldom gives it another shape than the best has.
            None => (as_the_best(search, prefix), Vec::new()),
        };
        if search.trial_overran() {
            self.lengthening.extend(last.zip(prefix.last().cloned()));
            return false;
        }
        let is_full = drawn.len() >= search.len();
        for at in (length..drawn.len()).rev() {
            let kind = (owners.get(at).copied().flatten(), drawn[at].constraint.clone());
            for other in alphabet(&drawn[at], self.known).into_iter().filter(|other| *other != drawn[at].value) {
                if is_full && self.lengthening.iter().any(|(known, value)| *known == kind && *value == other) {
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

/// The values of `prefix` and the simplest behind them, under the constraints of the best.
fn as_the_best(search: &Search<'_>, prefix: &[Value]) -> Vec<Choice> {
    let length = search.trial_length().unwrap_or(search.len()).min(search.len());
    let places = search.choices()[..length].iter().enumerate();
    places
        .map(|(at, choice)| Choice { value: prefix.get(at).cloned().unwrap_or_else(|| choice.constraint.simplest()), constraint: choice.constraint.clone() })
        .collect()
}

/// The different values of the trace, numbers with their neighbours.
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
    compare_choices(&Choice { value: value.clone(), constraint: than.constraint.clone() }, than).is_lt()
}

//! Lowers one number or boolean, or takes an earlier alternative. At the same time, one or two
//! later choices become other values that small inputs are made of.

use super::place::{Number, alternative, as_alternative, is_datum};
use super::search::{Search, Verdict};
use crate::choice::{Choice, Value};

/// More numbers and booleans than this have too many neighbours.
const DATA_MAX: usize = 12;
/// How many values a number may become.
const VALUES_MAX: usize = 5;

/// Tries each choice in turn. The new values come from the trace, from next to those, and from the
/// simplest few.
pub(super) fn each(search: &mut Search<'_>) {
    let mut at = 0;
    while at < search.len() && data(search, 0).len() <= DATA_MAX && !search.is_stopped() {
        let improvements = search.improvements();
        lower(search, at);
        if search.improvements() > improvements {
            // The lowered choice opens the way for other passes.
            return;
        }
        at += 1;
    }
}

/// The places of numbers and booleans from `from` on.
fn data(search: &Search<'_>, from: usize) -> Vec<usize> {
    let is_wanted = |choice: &Choice| {
        is_datum(choice) && matches!(choice.value, Value::Integer(_) | Value::Boolean(_))
    };
    let places = search.choices().iter().enumerate().skip(from);
    places.filter(|(_, choice)| is_wanted(choice)).map(|(at, _)| at).collect()
}

/// The distances that numbers may take, the least first.
fn alphabet(search: &Search<'_>) -> Vec<u128> {
    let mut distances: Vec<u128> = search
        .choices()
        .iter()
        .filter_map(Number::of)
        .flat_map(|number| [number.distance(), number.distance().saturating_add(1)])
        .collect();
    distances.extend([0, 1]);
    distances.sort_unstable();
    distances.dedup();
    distances.truncate(VALUES_MAX);
    distances
}

fn lower(search: &mut Search<'_>, at: usize) {
    let choice = &search.choices()[at];
    let alphabet = alphabet(search);
    let later = data(search, at + 1);
    let lower: Vec<Value> = match (Number::of(choice), alternative(choice)) {
        (Some(number), _) => alphabet
            .iter()
            .filter(|distance| **distance < number.distance())
            .take(2)
            .filter_map(|distance| number.at(*distance))
            .collect(),
        (None, Some(taken)) if taken > 1 => {
            vec![as_alternative(choice, 0), as_alternative(choice, taken - 1)]
        }
        (None, Some(1)) => vec![as_alternative(choice, 0)],
        _ if is_datum(choice) && choice.value == Value::Boolean(true) => {
            vec![Value::Boolean(false)]
        }
        _ => return,
    };
    for lowered in lower {
        for (index, one) in later.iter().enumerate() {
            for first in others(search, *one, &alphabet) {
                if search.set(&[(at, lowered.clone()), (*one, first.clone())]) == Verdict::Better {
                    return;
                }
                for two in &later[index + 1..] {
                    for second in others(search, *two, &alphabet) {
                        let changes =
                            [(at, lowered.clone()), (*one, first.clone()), (*two, second)];
                        if search.is_stopped() || search.set(&changes) == Verdict::Better {
                            return;
                        }
                    }
                }
            }
        }
    }
}

fn others(search: &Search<'_>, at: usize, alphabet: &[u128]) -> Vec<Value> {
    if let Some(Value::Boolean(value)) = search.choices().get(at).map(|choice| &choice.value) {
        return vec![Value::Boolean(!value)];
    }
    let Some(number) = search.choices().get(at).and_then(Number::of) else { return Vec::new() };
    alphabet
        .iter()
        .filter(|distance| **distance != number.distance())
        .filter_map(|distance| number.at(*distance))
        .collect()
}

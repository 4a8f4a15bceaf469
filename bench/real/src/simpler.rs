//! Every case that a property can draw from a stated alphabet, the simplest first, and which fail.

use dwindle_engine::internals::choice::{Choice, Constraint, Role, Value};
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::{Origin, Outcome, Trace, order};

use crate::running::Running;

/// The values that an enumeration offers. Coins and alternatives have all of theirs.
#[derive(Clone, Copy, Debug)]
pub struct Alphabet {
    /// The numbers.
    pub numbers: &'static [i128],
    /// The characters of texts.
    pub characters: &'static str,
    /// The greatest length of a text.
    pub length_max: usize,
    /// For each place of a drop-in target's input, its bytes. An input may be shorter.
    pub input: &'static [&'static [u8]],
}

/// What an enumeration found.
#[derive(Debug, Default)]
pub struct Found {
    /// For each bug, the simplest case that has it.
    pub minima: Vec<String>,
    /// How many cases ran and did not fail in a new way, up to the last of the minima.
    pub cases: u64,
    origins: Vec<Origin>,
}

/// Runs the cases of at most `choices_max` choices in shortlex order, until `bugs` of them are
/// found.
pub fn enumerate(
    running: &mut Running,
    alphabet: &Alphabet,
    choices_max: usize,
    bugs: usize,
) -> Found {
    let mut found = Found::default();
    for length in 0..=choices_max {
        if extend(running, alphabet, length, bugs, &mut Vec::new(), &mut found) {
            break;
        }
    }
    found
}

/// Runs every case of exactly `length` choices that begins with `prefix`. Returns whether all bugs
/// are found.
fn extend(
    running: &mut Running,
    alphabet: &Alphabet,
    length: usize,
    bugs: usize,
    prefix: &mut Vec<Value>,
    found: &mut Found,
) -> bool {
    let mut trace = Trace::default();
    let outcome = running.run(Candidate::replaying(prefix), length, &mut trace);
    if trace.len() > prefix.len() {
        for value in alphabet.values(&trace.choices[prefix.len()]) {
            prefix.push(value);
            let is_complete = extend(running, alphabet, length, bugs, prefix, found);
            prefix.pop();
            if is_complete {
                return true;
            }
        }
        return false;
    }
    if trace.len() < length || outcome == Outcome::Overrun {
        return false;
    }
    match outcome {
        Outcome::Failed(origin) if !found.origins.contains(&origin) => {
            found.origins.push(origin);
            found.minima.push(running.value(&trace));
        }
        _ => found.cases += 1,
    }
    found.minima.len() == bugs
}

impl Alphabet {
    /// The values of one choice, the simplest first.
    fn values(&self, choice: &Choice) -> Vec<Value> {
        let values: Vec<Value> = match &choice.constraint {
            Constraint::Boolean(_) => [false, true].map(Value::Boolean).into(),
            Constraint::Integer(range) if range.role == Role::Number => {
                self.numbers.iter().map(|number| Value::Integer(*number)).collect()
            }
            Constraint::Integer(range) => (range.min..=range.max).map(Value::Integer).collect(),
            Constraint::Text(..) => {
                let characters: Vec<char> = self.characters.chars().collect();
                let text =
                    |characters: Vec<char>| Value::Text(String::from_iter(characters).into());
                let places = vec![&characters[..]; self.length_max];
                sequences(&places).into_iter().map(text).collect()
            }
            Constraint::Rest => {
                let bytes = |bytes: Vec<u8>| Value::Bytes(bytes.into());
                sequences(self.input).into_iter().map(bytes).collect()
            }
            constraint => unreachable!("no property here draws {constraint:?}"),
        };
        let mut choices: Vec<Choice> = values
            .into_iter()
            .filter(|value| choice.constraint.allows(value))
            .map(|value| Choice { value, constraint: choice.constraint.clone() })
            .collect();
        choices.sort_by(order::compare_choices);
        choices.into_iter().map(|choice| choice.value).collect()
    }
}

/// Every sequence of an element for each of the first places.
fn sequences<T: Clone>(places: &[&[T]]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    let mut longest = all.clone();
    for elements in places {
        longest = longest
            .iter()
            .flat_map(|shorter| {
                elements.iter().map(|last| [&shorter[..], std::slice::from_ref(last)].concat())
            })
            .collect();
        all.extend_from_slice(&longest);
    }
    all
}

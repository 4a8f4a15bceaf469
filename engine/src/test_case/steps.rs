//! The steps of a state machine: whether one more follows, and of which rule; and which value of an earlier step it takes.

use super::{Source, TestCase};
use crate::choice::{Constraint, IntegerRange, Role, Value};
use crate::integer::Integer;
use crate::trace::Label;

/// The steps of a run: how many there may be and how many were begun.
pub(crate) struct Steps {
    max: usize,
    count: usize,
    /// How many a random source takes.
    planned: usize,
}

impl TestCase {
    /// Begins up to `steps_max` steps.
    pub(crate) fn steps(&mut self, steps_max: usize) -> Steps {
        let planned = if self.source == Source::Random { self.random.steps(steps_max, self.elements_open()) } else { 0 };
        Steps { max: steps_max, count: 0, planned }
    }

    /// Whether one more step follows, and of which rule; if so, two spans are open, to be closed behind the step.
    ///
    /// `weights` holds one number for each rule, 0 where it is not enabled now; at least one rule is enabled, and there are at most 255 of them.
    ///
    /// What is recorded is the rule, counted among all: so a step means the same whatever happened to those before it. A rule that is not enabled any more
    /// is replayed as the one before it that is, or else the next one.
    pub(crate) fn more_step(&mut self, steps: &mut Steps, weights: &[u8], label: Label) -> Option<usize> {
        if steps.count >= steps.max {
            return None;
        }
        steps.count += 1;
        self.spend();
        let element = if self.decode_only { self.reader.step(weights) } else { self.step_recorded(steps, weights, label) };
        element.checked_sub(1)
    }

    fn step_recorded(&mut self, steps: &Steps, weights: &[u8], label: Label) -> usize {
        let start = self.trace.len();
        let range = IntegerRange { min: 0, max: weights.len() as i128, towards: 0, type_bytes: 1, offset: false, role: Role::Element };
        let element = match self.source {
            Source::Bytes => self.reader.step(weights),
            Source::Random => match self.random.scripted_integer(&range) {
                Some(element) => nearest_enabled(weights, element as usize),
                None if steps.count <= steps.planned => self.random.step(weights) + 1,
                None => 0,
            },
            Source::Replay => nearest_enabled(weights, self.replay.integer(&range) as usize),
        };
        self.record(Value::Integer(element as i128), Constraint::Integer(range), ());
        if element != 0 {
            self.open(Label::ELEMENT, start);
            self.open(label, start);
        }
        element
    }
}

impl TestCase {
    /// One of `live`, ascending numbers less than `made`, of which there is at least one.
    ///
    /// What is recorded is the number itself, not its place among those that live: so it means the same value whatever became of the others. One that is gone
    /// is replayed as the nearest below it, or else the least.
    pub(crate) fn living(&mut self, made: usize, live: impl Iterator<Item = usize> + Clone) -> usize {
        self.spend();
        let last = made as u32 - 1;
        if self.decode_only {
            return named(u32::decode(&mut self.reader, 0, last) as usize, live);
        }
        let range = u32::range(0, last, Role::Number);
        let number = match self.source {
            Source::Bytes => named(u32::decode(&mut self.reader, 0, last) as usize, live),
            Source::Random => match self.random.scripted_integer(&range) {
                Some(wanted) => nearest_living(wanted as usize, live),
                None => nth(self.random.below(live.clone().count()), live),
            },
            Source::Replay => nearest_living(self.replay.integer(&range) as usize, live),
        };
        self.record(Value::Integer(number as i128), Constraint::Integer(range), number)
    }
}

/// The number itself if it lives; else one that does, all alike.
fn named(number: usize, live: impl Iterator<Item = usize> + Clone) -> usize {
    if live.clone().any(|other| other == number) { number } else { nth(number % live.clone().count(), live) }
}

/// The number itself if it lives; else the nearest below it that does, or else the least.
fn nearest_living(wanted: usize, live: impl Iterator<Item = usize> + Clone) -> usize {
    let below = live.clone().take_while(|number| *number <= wanted).last();
    below.unwrap_or_else(|| nth(0, live))
}

fn nth(index: usize, mut live: impl Iterator<Item = usize>) -> usize {
    live.nth(index).expect("so many live")
}

/// 0 for 0; else the rule itself plus 1, or that of the nearest enabled one, of those before it if there are any.
fn nearest_enabled(weights: &[u8], element: usize) -> usize {
    let Some(rule) = element.checked_sub(1) else { return 0 };
    let enabled = |rule: &usize| weights[*rule] > 0;
    (0..=rule).rev().find(enabled).or_else(|| (rule..weights.len()).find(enabled)).map_or(0, |rule| rule + 1)
}

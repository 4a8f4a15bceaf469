//! The steps of a state machine: whether one more follows, its rule, and the earlier value it uses.

use super::{Source, TestCase};
use crate::choice::{Constraint, IntegerRange, Role, Value};
use crate::integer::Integer;
use crate::shares::Shares;
use crate::trace::Label;

/// The steps of a run: their limit and how many have begun.
pub(crate) struct Steps {
    max: usize,
    count: usize,
    /// How many steps a random source takes.
    planned: usize,
}

impl TestCase {
    /// Begins a run of at most `steps_max` steps.
    pub(crate) fn steps(&mut self, steps_max: usize) -> Steps {
        let planned = if self.source == Source::Random {
            self.random.steps(steps_max, self.elements_open())
        } else {
            0
        };
        Steps { max: steps_max, count: 0, planned }
    }

    /// Whether one more step follows, and its rule. `Some` opens two spans, which the caller closes
    /// after the step.
    ///
    /// `weights` holds one weight for each rule, and 0 for a rule that is disabled now. At least
    /// one rule is enabled, and there are at most 255 rules.
    ///
    /// The record holds the index of the rule among all rules. So a step keeps its meaning when
    /// earlier steps change. The replay of a disabled rule takes the nearest enabled rule before
    /// it, or else the next one.
    pub(crate) fn more_step(
        &mut self,
        steps: &mut Steps,
        weights: &[u8],
        label: Label,
    ) -> Option<usize> {
        if steps.count >= steps.max {
            return None;
        }
        steps.count += 1;
        self.spend();
        let element = if self.decode_only {
            self.reader.step(weights)
        } else {
            self.step_recorded(steps, weights, label)
        };
        element.checked_sub(1)
    }

    fn step_recorded(&mut self, steps: &Steps, weights: &[u8], label: Label) -> usize {
        let start = self.trace.len();
        let range = IntegerRange {
            min: 0,
            max: weights.len() as i128,
            towards: 0,
            type_bytes: 1,
            offset: false,
            role: Role::Element,
            shares: Shares::EQUAL,
        };
        let element = match self.source {
            Source::Bytes => self.reader.step(weights),
            Source::Random => match self.random.scripted_integer(&range) {
                Some(element) => enabled_at_or_before(weights, element as usize),
                None if steps.count <= steps.planned => self.random.rule(weights) + 1,
                None => 0,
            },
            Source::Replay => enabled_at_or_before(weights, self.replay.integer(&range) as usize),
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
    /// Returns one of `live`, which holds at least one number. The numbers ascend and are less than
    /// `made`.
    ///
    /// The record holds the number itself instead of its place in `live`. So it means the same
    /// value when others are gone. The replay of a number that is gone takes the nearest one below
    /// it, or else the least.
    pub(crate) fn living(
        &mut self,
        made: usize,
        live: impl Iterator<Item = usize> + Clone,
    ) -> usize {
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

/// `number` if it is live; otherwise a live number, where each one is about equally likely.
fn named(number: usize, live: impl Iterator<Item = usize> + Clone) -> usize {
    if live.clone().any(|other| other == number) {
        number
    } else {
        nth(number % live.clone().count(), live)
    }
}

/// `wanted` if it is live; otherwise the nearest live number below it, or else the least.
fn nearest_living(wanted: usize, live: impl Iterator<Item = usize> + Clone) -> usize {
    let below = live.clone().take_while(|number| *number <= wanted).last();
    below.unwrap_or_else(|| nth(0, live))
}

fn nth(index: usize, mut live: impl Iterator<Item = usize>) -> usize {
    live.nth(index).expect("so many live")
}

/// 0 for 0, and 0 if no rule is enabled. Otherwise the rule plus 1: the rule itself if enabled, or
/// the nearest enabled rule before it, or else after it.
fn enabled_at_or_before(weights: &[u8], element: usize) -> usize {
    let Some(rule) = element.checked_sub(1) else { return 0 };
    let enabled = |rule: &usize| weights[*rule] > 0;
    (0..=rule)
        .rev()
        .find(enabled)
        .or_else(|| (rule..weights.len()).find(enabled))
        .map_or(0, |rule| rule + 1)
}

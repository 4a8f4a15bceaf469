//! Testing how a generator shrinks: whether something holds of each value and what it is shrunk to in one step.
//!
//! The choices always become simpler. Whether the value made of them does, only the user can tell: a generator that takes a number modulo 11 makes 10 of 10 and 0 of
//! 11. Steps that make an earlier choice simpler at the cost of a later one are left out: of pairs they make others on purpose. The idea is that of falsify's `testShrinking` (de Vries 2023, section 6.3).

use std::fmt::{self, Debug, Display};
use std::panic::resume_unwind;

use fastrand::Rng;

use crate::choice::{Choice, Constraint, Value};
use crate::execute::{Ended, execute};
use crate::generators::Generator;
use crate::order;
use crate::outcome::{Halt, Origin, Outcome};
use crate::shrink::{Budget, Runner, shrink};
use crate::test_case::TestCase;
use crate::trace::Trace;

/// A value that is shrunk to another one in one step, though something that should hold of the two does not.
#[derive(Clone, Debug)]
pub struct InvalidShrink {
    /// `Debug` of the value that is shrunk.
    pub before: String,
    /// `Debug` of what it is shrunk to.
    pub after: String,
    /// What the value that is shrunk was made of.
    pub choices_before: Vec<Choice>,
    /// What the other one was made of.
    pub choices_after: Vec<Choice>,
}

impl Display for InvalidShrink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "invalid shrink: {} ~> {}", self.before, self.after)?;
        writeln!(f, "    before: drawn {}", Drawn(&self.choices_before))?;
        write!(f, "    after:  drawn {}", Drawn(&self.choices_after))
    }
}

impl std::error::Error for InvalidShrink {}

/// Choices as their values.
struct Drawn<'a>(&'a [Choice]);

impl Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = self.0.iter().map(|choice| match (&choice.value, &choice.constraint) {
            (Value::Boolean(value), _) => value.to_string(),
            (Value::Integer(value), Constraint::Integer(range)) if range.offset => (*value as u128 ^ 1 << 127).to_string(),
            (Value::Integer(value), _) => value.to_string(),
            (Value::Float(value), _) => format!("{value:?}"),
            (Value::Bytes(value), _) => format!("{value:?}"),
            (Value::Text(value), _) => format!("{value:?}"),
        });
        let values: Vec<String> = values.collect();
        f.write_str(if values.is_empty() { "nothing" } else { "" })?;
        f.write_str(&values.join(", "))
    }
}

/// How many values are tried in all, for each random one.
pub const VALUES_EACH: u64 = 100;

/// How many smaller values are tried from one.
const STEPS_MAX: u64 = 250;
/// How many steps it goes down from a random value.
const DEPTH_MAX: usize = 8;
/// How many candidates are tried to make an invalid shrink simpler.
const CALLS_MAX: u64 = 2000;
const INVALID: Origin = Origin(0);

/// Whether `holds(before, after)` for the random values of `seeds` and what the shrinker makes of them in one step; and so on from one of those.
///
/// Gives how many random values there were, and how many seeds gave none. A value is made of at most `choices_max` choices. Once there were [`VALUES_EACH`] values for
/// each of `cases_max` cases, or so many random ones, it ends.
///
/// # Errors
/// An invalid shrink from the simplest value that has one, as far as shrinking finds it, to the simplest that is invalid for it.
pub fn check_shrinking<G, F>(
    generator: &G,
    holds: F,
    seeds: impl IntoIterator<Item = u64>,
    cases_max: u64,
    choices_max: usize,
) -> Result<(u64, u64), Box<InvalidShrink>>
where
    G: Generator<Value: Debug>,
    F: FnMut(&G::Value, &G::Value) -> bool,
{
    let mut explorer = Explorer { generator, holds, tc: TestCase::new(), values: 0 };
    let (mut cases, mut rejected) = (0, 0);
    for seed in seeds {
        if cases >= cases_max || rejected / 10 >= cases_max || explorer.values / VALUES_EACH >= cases_max {
            break;
        }
        explorer.tc.start_random(seed, choices_max);
        let mut here = Trace::default();
        if explorer.generate(&mut here).is_err() {
            rejected += 1;
            continue;
        }
        cases += 1;
        let mut rng = Rng::with_seed(seed);
        for _ in 0..DEPTH_MAX {
            let Some(steps) = explorer.steps(&here) else { break };
            if steps.iter().any(|step| !step.is_valid) {
                return Err(Box::new(explorer.simplest(&here)));
            }
            if steps.is_empty() {
                break;
            }
            here.clone_from(&steps[rng.usize(..steps.len())].trace);
        }
    }
    Ok((cases, rejected))
}

struct Explorer<'a, G, F> {
    generator: &'a G,
    holds: F,
    tc: TestCase,
    values: u64,
}

/// What a value is shrunk to.
struct Step {
    trace: Trace,
    is_valid: bool,
}

impl<G, F> Explorer<'_, G, F>
where
    G: Generator<Value: Debug>,
    F: FnMut(&G::Value, &G::Value) -> bool,
{
    /// The value of the test case that was started, and what was drawn for it.
    fn generate(&mut self, trace: &mut Trace) -> Result<G::Value, Halt> {
        let mut value = None;
        let ended = execute(&mut self.tc, |tc| value = Some(tc.draw_silent(self.generator)));
        self.tc.swap_trace(trace);
        match (ended, value) {
            (Ended::Halted(halt), _) => Err(halt),
            (Ended::Panicked(payload), _) => resume_unwind(payload),
            (Ended::Returned, value) => {
                self.values += 1;
                value.ok_or(Halt::Rejected)
            }
        }
    }

    fn replay(&mut self, values: &[Value], choices_max: usize, trace: &mut Trace) -> Result<G::Value, Halt> {
        self.tc.start_replay(values, choices_max);
        self.generate(trace)
    }

    /// What the shrinker tries from `here`, as far as it is simpler. None where the value of `here` cannot be made again.
    fn steps(&mut self, here: &Trace) -> Option<Vec<Step>> {
        let before = self.replay(&here.values(), here.len(), &mut Trace::default()).ok()?;
        let mut stepper = Stepper { explorer: self, here, before, steps: Vec::new() };
        shrink(here, INVALID, &mut stepper, budget(STEPS_MAX, &mut || false), &mut |_, _| {});
        Some(stepper.steps)
    }

    /// The simplest invalid shrink, beginning with one from `start`.
    fn simplest(&mut self, start: &Trace) -> InvalidShrink {
        let best = shrink(start, INVALID, &mut Simpler { explorer: self }, budget(CALLS_MAX, &mut || false), &mut |_, _| {}).best;
        let steps = self.steps(&best).unwrap_or_default().into_iter().filter(|step| !step.is_valid);
        let after = steps.map(|step| step.trace).min_by(|left, right| order::compare(&left.choices, &right.choices)).unwrap_or_default();
        let mut shown = |trace: &Trace| {
            self.replay(&trace.values(), trace.len(), &mut Trace::default()).map_or_else(|halt| format!("{halt:?}"), |value| format!("{value:?}"))
        };
        InvalidShrink { before: shown(&best), after: shown(&after), choices_before: best.choices, choices_after: after.choices }
    }
}

fn budget(calls_max: u64, stop: &mut dyn FnMut() -> bool) -> Budget<'_> {
    Budget { calls_max, exhaust_max: 0, stop }
}

/// Notes each candidate that is simpler, and takes none.
struct Stepper<'e, 'a, G: Generator, F> {
    explorer: &'e mut Explorer<'a, G, F>,
    here: &'e Trace,
    before: G::Value,
    steps: Vec<Step>,
}

impl<G, F> Runner for Stepper<'_, '_, G, F>
where
    G: Generator<Value: Debug>,
    F: FnMut(&G::Value, &G::Value) -> bool,
{
    fn run(&mut self, candidate: &[Value], choices_max: usize, trace: &mut Trace) -> Outcome {
        let after = match self.explorer.replay(candidate, choices_max, trace) {
            Ok(after) => after,
            Err(halt) => return outcome(halt),
        };
        if is_lowered(&self.here.choices, &trace.choices) {
            let is_valid = (self.explorer.holds)(&self.before, &after);
            self.steps.push(Step { trace: trace.clone(), is_valid });
        }
        Outcome::Passed
    }
}

/// Takes each candidate that has an invalid shrink.
struct Simpler<'e, 'a, G, F> {
    explorer: &'e mut Explorer<'a, G, F>,
}

impl<G, F> Runner for Simpler<'_, '_, G, F>
where
    G: Generator<Value: Debug>,
    F: FnMut(&G::Value, &G::Value) -> bool,
{
    fn run(&mut self, candidate: &[Value], choices_max: usize, trace: &mut Trace) -> Outcome {
        if let Err(halt) = self.explorer.replay(candidate, choices_max, trace) {
            return outcome(halt);
        }
        let steps = self.explorer.steps(trace).unwrap_or_default();
        if steps.iter().any(|step| !step.is_valid) { Outcome::Failed(INVALID) } else { Outcome::Passed }
    }
}

/// Whether `after` has fewer choices, or the same but for simpler ones.
fn is_lowered(before: &[Choice], after: &[Choice]) -> bool {
    let is_no_worse = || before.iter().zip(after).all(|(before, after)| order::compare_choices(after, before).is_le());
    order::compare(after, before).is_lt() && (after.len() < before.len() || is_no_worse())
}

fn outcome(halt: Halt) -> Outcome {
    match halt {
        Halt::Overrun => Outcome::Overrun,
        Halt::Rejected => Outcome::Rejected,
    }
}

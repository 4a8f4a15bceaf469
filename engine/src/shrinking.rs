//! Tests how a generator shrinks. One step of the shrinker turns a value into another value. The
//! test checks whether a property holds between the two.
//!
//! A step always makes the choices simpler. Only the user can say whether the value becomes
//! simpler, too. For example, a generator takes a number modulo 11. The step from 11 to 10 makes
//! the number simpler, but the value goes from 0 to 10.
//!
//! The check skips steps that make an earlier choice simpler at the cost of a later one. The
//! shrinker takes such steps on purpose, to turn one pair of numbers into another.
//!
//! The idea comes from falsify's `testShrinking` (de Vries 2023, section 6.3).

use std::fmt::{self, Debug, Display};

use fastrand::Rng;

use crate::choice::{Choice, Value};
use crate::execute::execute;
use crate::generators::Generator;
use crate::order;
use crate::outcome::{Halt, Origin, Outcome};
use crate::shrink::{Budget, Candidate, Runner, shrink};
use crate::test_case::Driver;
use crate::trace::Trace;

/// One shrink step, from one value to another, that violates the tested property.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InvalidShrink {
    /// The `Debug` text of the value before the step.
    pub before: String,
    /// The `Debug` text of the value after the step.
    pub after: String,
    /// The choices that made the value before the step.
    choices_before: Vec<Choice>,
    /// The choices that made the value after the step.
    choices_after: Vec<Choice>,
}

impl Display for InvalidShrink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "invalid shrink: {} ~> {}", self.before, self.after)?;
        writeln!(f, "    before: drawn {}", Drawn(&self.choices_before))?;
        write!(f, "    after:  drawn {}", Drawn(&self.choices_after))
    }
}

impl std::error::Error for InvalidShrink {}

/// Displays choices by their values.
struct Drawn<'a>(&'a [Choice]);

impl Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.0.iter().map(Choice::to_string).collect();
        f.write_str(if values.is_empty() { "nothing" } else { "" })?;
        f.write_str(&values.join(", "))
    }
}

/// How many values [`check_shrinking`] may generate for each of its `cases_max` cases.
const VALUES_EACH: u64 = 100;

/// How many candidates the explorer tries from one value.
const STEPS_MAX: u64 = 250;
/// How many steps the explorer goes down from a random value.
const DEPTH_MAX: usize = 8;
/// How many candidates the explorer tries when it looks for a simpler invalid shrink.
const CALLS_MAX: u64 = 2000;
const INVALID: Origin = Origin(0);

/// Checks `holds(before, after)` for random values and the values that the shrinker makes from them
/// in one step.
///
/// Each seed of `seeds` starts one random value, made of at most `choices_max` choices. After each
/// step, the check continues from one of the smaller values.
///
/// The check returns how many random values it started from, and how many seeds gave no value. It
/// ends after `cases_max` random values, or after `VALUES_EACH` values for each of `cases_max`
/// cases. It also ends once ten times `cases_max` seeds gave no value.
///
/// # Errors
/// Returns an [`InvalidShrink`] if `holds` is false for some step. Its value before the step is the
/// simplest one that the shrinker finds with an invalid step. Its value after the step is the
/// simplest one of the invalid steps from there.
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
    let mut explorer = Explorer { generator, holds, tc: Driver::new(), values: 0 };
    let (mut cases, mut rejected) = (0, 0);
    for seed in seeds {
        if cases >= cases_max
            || rejected / 10 >= cases_max
            || explorer.values / VALUES_EACH >= cases_max
        {
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
    tc: Driver,
    values: u64,
}

/// A value after one shrink step.
struct Step {
    trace: Trace,
    is_valid: bool,
}

impl<G, F> Explorer<'_, G, F>
where
    G: Generator<Value: Debug>,
    F: FnMut(&G::Value, &G::Value) -> bool,
{
    /// Generates the value of the started test case, and puts its choices into `trace`.
    fn generate(&mut self, trace: &mut Trace) -> Result<G::Value, Halt> {
        let mut value = None;
        let ended = execute(&mut self.tc, |tc| value = Some(tc.draw_silent(self.generator)));
        self.tc.swap_trace(trace);
        ended.or_unwind()?;
        self.values += 1;
        value.ok_or(Halt::Rejected)
    }

    fn replay(
        &mut self,
        values: &[Value],
        choices_max: usize,
        trace: &mut Trace,
    ) -> Result<G::Value, Halt> {
        self.tc.start_replay(values, choices_max);
        self.generate(trace)
    }

    /// Returns the simpler steps that the shrinker tries from `here`. The result is `None` if the
    /// choices of `here` no longer make a value.
    fn steps(&mut self, here: &Trace) -> Option<Vec<Step>> {
        let before = self.replay(&here.values(), here.len(), &mut Trace::default()).ok()?;
        let mut stepper = Stepper { explorer: self, here, before, steps: Vec::new() };
        shrink(here, INVALID, &mut stepper, budget(STEPS_MAX, &mut || false), &mut |_, _| {});
        Some(stepper.steps)
    }

    /// Finds the simplest invalid shrink, beginning with one from `start`.
    fn simplest(&mut self, start: &Trace) -> InvalidShrink {
        let best = shrink(
            start,
            INVALID,
            &mut Simpler { explorer: self },
            budget(CALLS_MAX, &mut || false),
            &mut |_, _| {},
        )
        .best;
        let steps = self.steps(&best).unwrap_or_default().into_iter().filter(|step| !step.is_valid);
        let after = steps
            .map(|step| step.trace)
            .min_by(|left, right| order::compare(&left.choices, &right.choices))
            .unwrap_or_default();
        let mut shown = |trace: &Trace| {
            self.replay(&trace.values(), trace.len(), &mut Trace::default())
                .map_or_else(|halt| format!("{halt:?}"), |value| format!("{value:?}"))
        };
        InvalidShrink {
            before: shown(&best),
            after: shown(&after),
            choices_before: best.choices,
            choices_after: after.choices,
        }
    }
}

fn budget(calls_max: u64, stop: &mut dyn FnMut() -> bool) -> Budget<'_> {
    Budget { calls_max, exhaust_max: 0, around: None, stop }
}

/// Records each simpler candidate. It reports no failure, so `here` stays the best.
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
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        let after = match self.explorer.replay(candidate.values, choices_max, trace) {
            Ok(after) => after,
            Err(halt) => return halt.into(),
        };
        if is_lowered(&self.here.choices, &trace.choices) {
            let is_valid = (self.explorer.holds)(&self.before, &after);
            self.steps.push(Step { trace: trace.clone(), is_valid });
        }
        Outcome::Passed
    }
}

/// Reports each candidate with an invalid shrink as a failure, so that the shrinker accepts it.
struct Simpler<'e, 'a, G, F> {
    explorer: &'e mut Explorer<'a, G, F>,
}

impl<G, F> Runner for Simpler<'_, '_, G, F>
where
    G: Generator<Value: Debug>,
    F: FnMut(&G::Value, &G::Value) -> bool,
{
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        if let Err(halt) = self.explorer.replay(candidate.values, choices_max, trace) {
            return halt.into();
        }
        let steps = self.explorer.steps(trace).unwrap_or_default();
        if steps.iter().any(|step| !step.is_valid) {
            Outcome::Failed(INVALID)
        } else {
            Outcome::Passed
        }
    }
}

/// Whether `after` is simpler: it has fewer choices, or each choice is at least as simple.
fn is_lowered(before: &[Choice], after: &[Choice]) -> bool {
    let is_no_worse = || {
        before
            .iter()
            .zip(after)
            .all(|(before, after)| order::compare_choices(after, before).is_le())
    };
    order::compare(after, before).is_lt() && (after.len() < before.len() || is_no_worse())
}

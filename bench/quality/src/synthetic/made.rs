//! Properties that a program makes: a way to draw a value, and a condition under which it fails.

use dwindle::prelude::TestCase;
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::{CHOICES_MAX, Driver, Outcome, Trace, execute};
use fastrand::Rng;

use super::condition::Condition;
use super::plan::{FAMILIES, Plan};
use super::value::Value;
use crate::ours::FAILED;

/// How many failing cases a property must have.
pub const STARTS: usize = 10;
/// Each of them must be among this number of random cases.
const CASES_EACH: u64 = 10_000;

/// A failing case with more choices takes minutes to shrink.
const CHOICES_EACH: usize = 10_000;

/// A property.
pub struct Made {
    /// The index of the family of its values.
    pub family: usize,
    /// How its value is drawn.
    pub plan: Plan,
    /// When its value fails.
    pub condition: Condition,
}

impl Made {
    /// The property of this number, and failing cases to begin with.
    pub fn new(seed: u64, number: u64) -> (Made, Vec<Trace>) {
        let mut rng = Rng::with_seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number << 1);
        let family = (number % FAMILIES.len() as u64) as usize;
        loop {
            let plan = Plan::random(family, &mut rng);
            let samples = samples(&plan, rng.u64(..));
            let Some(condition) = Condition::random(&mut rng, &samples) else { continue };
            let made = Made { family, plan, condition };
            if let Some(starts) = made.starts(rng.u64(..)) {
                return (made, starts);
            }
        }
    }

    /// The plan of the values and the condition, as text.
    pub fn shown(&self) -> String {
        format!("{:?}; {:?}", self.plan, self.condition)
    }

    /// Failing cases, unless too many cases or too few fail, or the simplest case fails, or one is
    /// too long.
    fn starts(&self, seed: u64) -> Option<Vec<Trace>> {
        let mut running = Running::new(self);
        if running.run(Candidate::replaying(&[]), CHOICES_MAX, &mut Trace::default())
            == Outcome::Failed(FAILED)
        {
            return None;
        }
        let mut starts: Vec<Trace> = Vec::new();
        for case in 0..CASES_EACH * STARTS as u64 {
            running.driver.start_random(seed.wrapping_add(case), CHOICES_MAX);
            if running.outcome() == Outcome::Failed(FAILED) {
                if running.driver.trace().len() > CHOICES_EACH {
                    return None;
                }
                starts.push(running.driver.trace().clone());
                if starts.len() == STARTS {
                    return (case + 1 >= 2 * STARTS as u64).then_some(starts);
                }
            }
            if case > CASES_EACH * (starts.len() as u64 + 2) {
                return None;
            }
        }
        None
    }
}

/// Values of random cases, for a condition to speak about.
fn samples(plan: &Plan, seed: u64) -> Vec<Value> {
    const SAMPLES: u64 = 60;
    let mut driver = Driver::new();
    let target = plan.target();
    let mut samples = Vec::new();
    for case in 0..SAMPLES {
        driver.start_random(seed.wrapping_add(case), CHOICES_MAX);
        let mut drawn = None;
        execute(&mut driver, |tc| drawn = Some(target(tc)));
        samples.extend(drawn);
    }
    samples
}

/// Runs one property.
pub struct Running<'a> {
    made: &'a Made,
    target: Box<dyn Fn(&mut TestCase) -> Value + 'a>,
    /// What the property draws from.
    pub driver: Driver,
    /// How often it ran.
    pub calls: u64,
    value: Option<Value>,
}

impl<'a> Running<'a> {
    /// Nothing ran yet.
    pub fn new(made: &'a Made) -> Running<'a> {
        Running { made, target: made.plan.target(), driver: Driver::new(), calls: 0, value: None }
    }

    /// Runs the property on what the driver was started with.
    pub fn outcome(&mut self) -> Outcome {
        self.calls += 1;
        self.value = None;
        let ended = execute(&mut self.driver, |tc| self.value = Some((self.target)(tc)));
        ended.or_unwind().map_or_else(Outcome::from, |()| match &self.value {
            Some(value) if self.made.condition.holds(value) => Outcome::Failed(FAILED),
            _ => Outcome::Passed,
        })
    }

    /// The trace of a case in bytes, if it fails, and its value.
    pub fn decode(&mut self, bytes: &[u8]) -> Option<(Trace, Value)> {
        self.driver.start_bytes_recorded(bytes, CHOICES_MAX);
        let outcome = self.outcome();
        let value = self.value.take()?;
        (outcome == Outcome::Failed(FAILED)).then(|| (self.driver.trace().clone(), value))
    }
}

impl Runner for Running<'_> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.driver.start_candidate(candidate, choices_max);
        let outcome = self.outcome();
        self.driver.swap_trace(trace);
        outcome
    }
}

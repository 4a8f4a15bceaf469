//! One vector of integers, as large as one likes, and what fails on it.

use dwindle::generators as g;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::{Driver, Outcome, Trace, execute};

use crate::ours::FAILED;

/// Runs a property of a vector of `u32` up to a greatest value.
pub struct Vectors<F> {
    greatest: u32,
    fails: F,
    tc: Driver,
    /// Executions so far.
    pub calls: u64,
}

impl<F: Fn(&[u32]) -> bool> Vectors<F> {
    /// A property of vectors of `0..=greatest`.
    pub fn new(greatest: u32, fails: F) -> Vectors<F> {
        Vectors { greatest, fails, tc: Driver::new(), calls: 0 }
    }

    /// The trace of this vector, which has to fail.
    pub fn trace(&mut self, values: &[u32]) -> Trace {
        let mut candidate: Vec<Value> = values
            .iter()
            .flat_map(|value| [Value::Boolean(true), Value::Integer(i128::from(*value))])
            .collect();
        candidate.push(Value::Boolean(false));
        let mut trace = Trace::default();
        let outcome = self.run(Candidate::replaying(&candidate), candidate.len(), &mut trace);
        assert_eq!(outcome, Outcome::Failed(FAILED), "a start has to fail");
        self.calls = 0;
        trace
    }
}

impl<F: Fn(&[u32]) -> bool> Runner for Vectors<F> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.calls += 1;
        self.tc.start_candidate(candidate, choices_max);
        let mut fails = false;
        let ended = execute(&mut self.tc, |tc| {
            let values = tc.draw_silent(g::vec(g::integers(0..=self.greatest)));
            fails = (self.fails)(&values);
        });
        self.tc.swap_trace(trace);
        let judged = if fails { Outcome::Failed(FAILED) } else { Outcome::Passed };
        ended.or_unwind().map_or_else(Outcome::from, |()| judged)
    }
}

/// The integers of a trace of one vector.
pub fn integers(trace: &Trace) -> Vec<i128> {
    trace
        .choices
        .iter()
        .filter_map(
            |choice| if let Value::Integer(value) = choice.value { Some(value) } else { None },
        )
        .collect()
}

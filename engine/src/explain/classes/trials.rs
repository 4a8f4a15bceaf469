//! Runs candidates within the budget, and remembers how each ended.

use std::rc::Rc;

use crate::choice::Value;
use crate::hashed::{HashedMap, hash};
use crate::outcome::{Origin, Outcome};
use crate::shrink::{Candidate, Runner};
use crate::trace::Trace;

/// How a run ended, as evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrialVerdict {
    /// It failed with the origin of the minimized failure.
    Fails,
    /// It passed.
    Passes,
    /// It failed in another way.
    FailsOtherwise,
    /// It was rejected or overran, which says nothing.
    NoEvidence,
}

/// One run: how it ended and what it drew.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) verdict: TrialVerdict,
    pub(crate) trace: Rc<Trace>,
}

/// How many choices a run may draw in any case.
const CHOICES_MIN: usize = 4096;

/// Runs candidates until the budget is used up.
pub(crate) struct Trials<'a> {
    runner: &'a mut dyn Runner,
    origin: Origin,
    stop: &'a mut dyn FnMut() -> bool,
    /// The number of runs at which the current part of the search ends.
    pub(crate) runs_max: u64,
    runs: u64,
    is_stopped: bool,
    choices_max: usize,
    known: HashedMap<u64, Run>,
}

impl<'a> Trials<'a> {
    pub(crate) fn new(
        runner: &'a mut dyn Runner,
        origin: Origin,
        runs_max: u64,
        stop: &'a mut dyn FnMut() -> bool,
        choices: usize,
    ) -> Trials<'a> {
        Trials {
            runner,
            origin,
            stop,
            runs_max,
            runs: 0,
            is_stopped: false,
            choices_max: CHOICES_MIN.max(4 * choices),
            known: HashedMap::default(),
        }
    }

    pub(crate) fn runs(&self) -> u64 {
        self.runs
    }

    /// Whether no further run is possible.
    pub(crate) fn is_over(&mut self) -> bool {
        self.is_stopped = self.is_stopped || (self.stop)();
        self.is_stopped || self.runs >= self.runs_max
    }

    /// Runs `values`, unless they ran before. `None` if the budget is used up.
    pub(crate) fn run(&mut self, values: &[Value]) -> Option<Run> {
        let key = hash(values);
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        let run = self.run_again(values)?;
        self.known.insert(key, run.clone());
        Some(run)
    }

    /// Runs `values`, also if they ran before.
    pub(crate) fn run_again(&mut self, values: &[Value]) -> Option<Run> {
        self.execute(Candidate::replaying(values))
    }

    /// Runs `values` and random choices behind them.
    pub(crate) fn run_random(&mut self, values: &[Value], seed: u64) -> Option<Run> {
        self.execute(Candidate { values, seed: Some(seed) })
    }

    fn execute(&mut self, candidate: Candidate<'_>) -> Option<Run> {
        if self.is_over() {
            return None;
        }
        self.runs += 1;
        let mut trace = Trace::default();
        let verdict = match self.runner.run(candidate, self.choices_max, &mut trace) {
            Outcome::Failed(origin) if origin == self.origin => TrialVerdict::Fails,
            Outcome::Failed(_) => TrialVerdict::FailsOtherwise,
            Outcome::Passed => TrialVerdict::Passes,
            Outcome::Rejected | Outcome::Overrun => TrialVerdict::NoEvidence,
        };
        let run = Run { verdict, trace: Rc::new(trace) };
        // A replay of what was drawn draws it again.
        if verdict != TrialVerdict::NoEvidence {
            self.known
                .insert(hash(run.trace.choices.iter().map(|choice| &choice.value)), run.clone());
        }
        Some(run)
    }
}

//! The candidates of a shrink.

use dwindle_corpus::{BugId, Rate};
use dwindle_engine::internals::explain::KnownCauses;
use dwindle_engine::internals::shrink::{Candidate, Runner};
use dwindle_engine::internals::{Origin, Outcome, Trace};

use crate::execution::{Executor, Run};
use crate::failure::failed::Failed;
use crate::failure::variants::Variants;
use crate::minimize::Only;
use crate::minimize::clock::Clock;
use crate::minimize::reliability::{self, Repeats};

/// Runs the candidates of a shrink with an executor. Each bug becomes an origin for the shrinker.
pub(crate) struct CandidateRunner<'a, S> {
    executor: &'a mut S,
    /// The bugs hit so far. An origin is an index into this list.
    bugs: Vec<BugId>,
    /// The call path that the failure must keep, and the means to compare call paths.
    variant: Option<(&'a str, Variants)>,
    /// Failures that one of these explains do not count.
    outside: KnownCauses<'a>,
    /// How the failure repeats.
    repeats: Repeats,
    clock: &'a Clock,
}

impl<'a, S: Executor> CandidateRunner<'a, S> {
    /// The origin of the bug that is shrunk.
    pub(crate) const ORIGIN: Origin = Origin(0);

    /// A runner for the failures of the bug `id` that `only` lets count. `id` gets
    /// [`ORIGIN`](CandidateRunner::ORIGIN).
    pub(crate) fn new(
        executor: &'a mut S,
        (id, only): (BugId, Only<'a>),
        repeats: Repeats,
        clock: &'a Clock,
    ) -> CandidateRunner<'a, S> {
        let variant = only.call_path.map(|key| (key, Variants::new(executor.manifest_dir())));
        let outside = KnownCauses::new(only.outside, Self::ORIGIN);
        CandidateRunner { executor, bugs: vec![id], variant, outside, repeats, clock }
    }

    /// Whether the last run ended its worker.
    pub(crate) fn has_lost_worker(&self) -> bool {
        self.executor.has_lost_worker()
    }

    fn run_once(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Run {
        run_once(self.executor, (self.repeats, self.clock), candidate, choices_max, trace)
    }

    /// Runs a candidate many times. Returns a failure of the bug if it fails often enough, else the
    /// last run without it.
    fn run_often(
        &mut self,
        rate: Rate,
        candidate: Candidate<'_>,
        choices_max: usize,
        trace: &mut Trace,
    ) -> Run {
        let id = self.bugs[0];
        let mut failed = None;
        let mut last = Run::Passed;
        let mut failing = Trace::default();
        let is_reliable = reliability::fails_as_often(rate, || {
            let run = self.run_once(candidate, choices_max, trace);
            let is_failure = matches!(&run, Run::Failed(failed) if failed.id == id);
            if is_failure {
                std::mem::swap(trace, &mut failing);
                failed = Some(run);
            } else {
                last = run;
            }
            is_failure
        });
        match failed {
            Some(run) if is_reliable => {
                std::mem::swap(trace, &mut failing);
                run
            }
            _ => last,
        }
    }

    /// Whether this is the failure that is shrunk, but over another call path or an unknown one.
    fn took_another_call_path(&mut self, failed: &Failed) -> bool {
        let id = self.bugs[0];
        self.variant.as_mut().is_some_and(|(key, variants)| {
            failed.id == id && variants.key(failed).is_none_or(|other| other != *key)
        })
    }

    fn is_explained(&mut self, trace: &Trace) -> bool {
        let CandidateRunner { executor, bugs, outside, repeats, clock, .. } = self;
        let (id, repeats) = (bugs[0], *repeats);
        outside
            .explaining(trace, &mut Once { executor: &mut **executor, id, repeats, clock })
            .is_some()
    }

    /// The number that represents a bug.
    fn origin(&mut self, id: BugId) -> Origin {
        let index = self.bugs.iter().position(|known| *known == id).unwrap_or_else(|| {
            self.bugs.push(id);
            self.bugs.len() - 1
        });
        Origin(index as u64)
    }
}

impl<S: Executor> Runner for CandidateRunner<'_, S> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        let run = match self.repeats {
            Repeats::Sometimes(rate) => self.run_often(rate, candidate, choices_max, trace),
            Repeats::Always | Repeats::WhenFresh => self.run_once(candidate, choices_max, trace),
        };
        match run {
            Run::Overrun => Outcome::Overrun,
            Run::Rejected | Run::Misused(_) => Outcome::Rejected,
            Run::Passed => Outcome::Passed,
            Run::Failed(failed) if self.took_another_call_path(&failed) => Outcome::Passed,
            Run::Failed(failed) if failed.id == self.bugs[0] && self.is_explained(trace) => {
                Outcome::Rejected
            }
            // The draws of this failure are unknown, so the candidate may not be smaller.
            // `Outcome::Passed` with an empty trace would tell the shrinker that the target draws
            // nothing.
            Run::Failed(_) if trace.is_empty() && !candidate.values.is_empty() => Outcome::Overrun,
            Run::Failed(failed) => Outcome::Failed(self.origin(failed.id)),
        }
    }
}

/// Runs inputs that decide whether a known cause explains a failure, once each.
struct Once<'a, S> {
    executor: &'a mut S,
    id: BugId,
    repeats: Repeats,
    clock: &'a Clock,
}

impl<S: Executor> Runner for Once<'_, S> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        let run =
            run_once(self.executor, (self.repeats, self.clock), candidate, choices_max, trace);
        match run {
            Run::Failed(failed) if failed.id == self.id => {
                Outcome::Failed(CandidateRunner::<S>::ORIGIN)
            }
            Run::Overrun => Outcome::Overrun,
            Run::Rejected | Run::Misused(_) => Outcome::Rejected,
            Run::Passed | Run::Failed(_) => Outcome::Passed,
        }
    }
}

fn run_once<S: Executor>(
    executor: &mut S,
    (repeats, clock): (Repeats, &Clock),
    candidate: Candidate<'_>,
    choices_max: usize,
    trace: &mut Trace,
) -> Run {
    if repeats == Repeats::WhenFresh {
        executor.start_afresh();
    }
    let run = executor.run_candidate(candidate, choices_max, trace);
    clock.look(|| executor.time_elsewhere(), || executor.waited_elsewhere());
    run
}

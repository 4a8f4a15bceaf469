//! Whether a known cause explains a failure.

use dwindle_corpus::{BugId, BugKind};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::explain::{Cause, KnownCauses};

use crate::execution::{Executor, Runs};
use crate::limits::Limits;
use crate::minimize::Only;
use crate::minimize::candidates::CandidateRunner;
use crate::minimize::clock::Clock;
use crate::minimize::reliability::Repeats;

/// Whether a known cause of a bug explains the failure of `trace`.
pub(crate) fn is_explained<S: Executor>(
    executor: &mut S,
    (id, kind): (BugId, BugKind),
    known: &[Cause],
    trace: &Trace,
) -> bool {
    executor.allow_for(Runs::Candidates(kind));
    let limits = Limits::of_an_explanation();
    let clock = Clock::start(limits, executor.time_elsewhere(), executor.waited_elsewhere());
    let only = (id, Only::default());
    let mut candidates = CandidateRunner::new(executor, only, Repeats::Always, &clock);
    let mut causes = KnownCauses::new(known, CandidateRunner::<S>::ORIGIN);
    let found = causes.explaining(trace, &mut candidates);
    executor.allow_for(Runs::Any);
    found.is_some()
}

//! Whether a new cause is a further form of a known one.

use dwindle_corpus::{BugId, BugKind};
use dwindle_engine::internals::explain::{self, Budget, Cause};

use crate::execution::{Executor, Runs};
use crate::limits::Limits;
use crate::minimize::Only;
use crate::minimize::candidates::CandidateRunner;
use crate::minimize::clock::Clock;
use crate::minimize::reliability::Repeats;

/// How many runs the comparison of a cause with the known ones takes.
const RUNS: u64 = 4000;

/// The index of the known cause of which `own` is a further form. Then the claims of `own` also
/// allow what both forms allow together.
pub(crate) fn further_form<S: Executor>(
    executor: &mut S,
    (id, kind): (BugId, BugKind),
    own: &mut Cause,
    known: &[Cause],
) -> Option<usize> {
    if known.is_empty() {
        return None;
    }
    executor.allow_for(Runs::Candidates(kind));
    let limits = Limits::of_an_explanation();
    let clock = Clock::start(limits, executor.time_elsewhere(), executor.waited_elsewhere());
    let only = (id, Only::default());
    let mut candidates = CandidateRunner::new(executor, only, Repeats::Always, &clock);
    let mut stop = || clock.is_over();
    let origin = CandidateRunner::<S>::ORIGIN;
    let budget = Budget { runs_max: RUNS, seed: 0, stop: &mut stop };
    let form = explain::further_form(own, known, origin, &mut candidates, budget);
    executor.allow_for(Runs::Any);
    form
}

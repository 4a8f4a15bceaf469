//! Minimizes one input, for every command that needs it.

pub(crate) mod candidates;
pub(crate) mod reliability;
mod confirm;
pub(crate) mod clock;
#[cfg(feature = "fuzzing")]
pub(crate) mod around;

use std::time::Duration;

use dwindle_corpus::{Explanation, Rate, Status};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::explain::Cause;
use dwindle_engine::internals::shrink::{Around, Budget, Finish, Shrunk, THOROUGH, shrink};

use crate::execution::{Executor, Runs, listing};
use crate::failure::failed::Failed;
use crate::limits::Limits;
use crate::minimize::candidates::CandidateRunner;
use crate::minimize::clock::Clock;
use crate::minimize::confirm::{AcceptedInputs, Confirmed, smallest_confirmed};
use crate::minimize::reliability::Repeats;

/// Which failures of the bug count, if not all do.
#[derive(Clone, Copy, Default)]
pub(crate) struct Only<'a> {
    /// The key of the call path that the failure must keep.
    pub(crate) call_path: Option<&'a str>,
    /// Known causes. A failure that one of them explains does not count.
    pub(crate) outside: &'a [Cause],
}

/// A failure as it was found.
#[derive(Clone, Copy)]
pub(crate) struct Found<'a> {
    pub(crate) input: &'a [u8],
    /// The draws of the input. Empty if the target died without a record of them.
    pub(crate) trace: &'a Trace,
    pub(crate) failed: &'a Failed,
    pub(crate) only: Only<'a>,
}

/// A minimized input that fails.
#[derive(Debug)]
pub(crate) struct Minimized {
    pub(crate) failed: Failed,
    /// Canonical bytes that ran and failed in the same way, in new processes too. If no accepted
    /// input did so reliably, this is the original input.
    pub(crate) input: Vec<u8>,
    pub(crate) choices: usize,
    pub(crate) draws: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) listing: Vec<String>,
    /// Whether the target gave a name to any of its draws.
    pub(crate) has_names: bool,
    pub(crate) original_choices: usize,
    /// Whether the target takes the input bytes unchanged. Then it has bytes, but no choices to
    /// count.
    pub(crate) is_raw: bool,
    pub(crate) calls: u64,
    pub(crate) calls_to_confirm: u64,
    pub(crate) calls_to_fixpoint: u64,
    pub(crate) calls_to_exhaust: u64,
    pub(crate) no_smaller_among: Option<u64>,
    /// In how many runs the input fails, if it does not fail in all.
    pub(crate) rate: Option<Rate>,
    /// See [`Repeats::WhenFresh`].
    pub(crate) only_when_fresh: bool,
    /// What is known of the failures around it, if it was explained.
    pub(crate) explanation: Option<Box<Explanation>>,
    pub(crate) time: Duration,
    pub(crate) status: Status,
    /// Inputs that failed in other ways during the shrink.
    pub(crate) others: Vec<Vec<u8>>,
}

/// Shrinks a failure that `executor` found. `progress` gets each new best input. Searches around
/// the result only where the target runs in this process; see [`around`] for workers.
pub(crate) fn minimize<S: Executor>(
    executor: &mut S,
    found: Found<'_>,
    limits: Limits,
    progress: &mut dyn FnMut(&Trace, u64),
) -> Minimized {
    let failed = found.failed;
    executor.allow_for(Runs::Candidates(failed.kind));
    let clock = Clock::start(limits, executor.time_elsewhere(), executor.waited_elsewhere());
    let repeats = reliability::of(executor, found.input, failed);
    // Within one process, a failure either always repeats or happens in only some runs. So no
    // earlier input is needed.
    let steps_back = executor.can_start_afresh();
    let mut candidates = CandidateRunner::new(executor, (failed.id, found.only), repeats, &clock);
    let mut accepted = AcceptedInputs::default();
    let mut note = |best: &Trace, calls: u64| {
        if steps_back {
            accepted.push(best);
        }
        progress(best, calls);
    };
    let shrunk =
        shrink_within((limits, steps_back), &clock, found.trace, &mut candidates, &mut note);
    let time = clock.elapsed();

    accepted.push(&shrunk.best);
    let Confirmed {
        input,
        choices,
        transcript,
        last,
        is_reliable,
        is_best,
        calls: calls_to_confirm,
    } = smallest_confirmed(executor, found, &accepted, repeats);
    let mut rate = None;
    if matches!(repeats, Repeats::Sometimes(_)) || (!is_reliable && executor.can_start_afresh()) {
        rate = Some(reliability::rate(executor, &input, failed.id));
    }
    let is_minimal = shrunk.finish == Finish::Fixpoint && is_best;
    let status = status(is_reliable && rate.is_none(), is_minimal);
    Minimized {
        failed: last,
        input,
        choices,
        draws: transcript.draws(),
        notes: transcript.notes(),
        listing: listing(&transcript),
        has_names: transcript.has_names(),
        original_choices: found.trace.len(),
        is_raw: found.trace.raw_input().is_some(),
        calls: shrunk.calls,
        calls_to_confirm,
        calls_to_fixpoint: shrunk.calls_to_fixpoint,
        calls_to_exhaust: shrunk.calls_to_exhaust,
        no_smaller_among: shrunk.no_smaller_among.filter(|_| rate.is_none() && is_best),
        rate,
        only_when_fresh: repeats == Repeats::WhenFresh,
        explanation: None,
        time,
        status,
        others: shrunk.others.iter().map(|(_, trace)| encode(&trace.choices)).collect(),
    }
}

fn shrink_within<S: Executor>(
    (limits, in_worker): (Limits, bool),
    clock: &Clock,
    start: &Trace,
    candidates: &mut CandidateRunner<'_, S>,
    progress: &mut dyn FnMut(&Trace, u64),
) -> Shrunk {
    let mut out_of_time = || clock.is_over();
    let mut searched_enough = clock.part(Limits::AROUND_TIME);
    let exhaust_max = limits.exhaust_max.min(THOROUGH);
    // In workers, the result is confirmed before the search around it begins (see `around`).
    let around_max = if in_worker { 0 } else { limits.around_max() };
    let budget = Budget {
        calls_max: limits.calls_max,
        exhaust_max,
        around: Some(Around { calls_max: around_max, stop: &mut searched_enough }),
        stop: &mut out_of_time,
    };
    shrink(start, CandidateRunner::<S>::ORIGIN, candidates, budget, progress)
}

fn status(fails_always: bool, is_minimal: bool) -> Status {
    match (fails_always, is_minimal) {
        (false, _) => Status::Flaky,
        (true, true) => Status::Minimized,
        (true, false) => Status::BestEffort,
    }
}

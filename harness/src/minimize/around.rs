//! Searches around a minimized input: makes other failures near it, perhaps larger ones, and
//! shrinks these.
//!
//! The candidates run in a worker and come from random choices. So each of them may hang, take all
//! memory or kill the worker. Such a candidate costs up to seconds. The first one ends the search,
//! unless it shows the bug that is minimized. The search begins with a confirmed result, and
//! changes it only if it finds a simpler one.

use std::cell::Cell;

use dwindle_corpus::{BugKind, Status};
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::shrink::{
    Around, Budget, Candidate, Finish, Runner, Shrunk, THOROUGH, search_around,
};
use dwindle_engine::internals::{Outcome, Trace};

use crate::execution::{Executor, Runs, listing};
use crate::failure::failed::Failed;
use crate::limits::Limits;
use crate::minimize::candidates::CandidateRunner;
use crate::minimize::clock::Clock;
use crate::minimize::confirm::{AcceptedInputs, Confirmed, smallest_confirmed};
use crate::minimize::reliability::Repeats;
use crate::minimize::{Found, Minimized, Only, minimize, status};

/// Shrinks a failure as [`minimize`] does, and searches around the result.
pub(crate) fn minimize_and_search<S: Executor>(
    executor: &mut S,
    found: Found<'_>,
    limits: Limits,
    progress: &mut dyn FnMut(&Trace, u64),
) -> Minimized {
    let mut minimized = minimize(executor, found, limits, progress);
    improve(executor, found.only, limits, &mut minimized, &mut || false, progress);
    minimized
}

/// Searches around a minimized input, within the time and the calls that the minimization left. If
/// the search finds a simpler input, puts that input into `minimized` and returns `true`. Adds the
/// other failures that the search hits.
///
/// The search needs an input that fails in every run, and that no shrink pass improves. It stops
/// when `stop` returns `true`. If it has found a simpler failure by then, the passes still shrink
/// that failure.
pub(crate) fn improve<S: Executor>(
    executor: &mut S,
    only: Only<'_>,
    limits: Limits,
    minimized: &mut Minimized,
    stop: &mut dyn FnMut() -> bool,
    progress: &mut dyn FnMut(&Trace, u64),
) -> bool {
    let limits = left(limits, minimized);
    let (input, failed) = (minimized.input.clone(), minimized.failed.clone());
    if !is_worth_it(minimized) || limits.around_max() == 0 || stop() {
        return false;
    }
    let mut trace = Trace::default();
    executor.allow_for(Runs::Again(failed.kind));
    let run = executor.run_input(&input, &mut trace);
    if run.failure().is_none_or(|again| again.id != failed.id) || trace.is_empty() {
        return false;
    }
    executor.allow_for(Runs::Candidates(failed.kind));
    let found = Found { input: &input, trace: &trace, failed: &failed, only };
    let clock = Clock::start(limits, executor.time_elsewhere(), executor.waited_elsewhere());
    let (mut accepted, calls) = (AcceptedInputs::default(), minimized.calls);
    let mut note = |best: &Trace, more: u64| {
        accepted.push(best);
        progress(best, calls + more);
    };
    let around_max = calls_max(limits, minimized);
    let shrunk = search_within((limits, around_max), &clock, (executor, found), stop, &mut note);
    minimized.calls += shrunk.calls;
    minimized.calls_to_exhaust += shrunk.calls_to_exhaust;
    minimized.others.extend(shrunk.others.iter().map(|(_, trace)| encode(&trace.choices)));
    let is_better = shrunk.best.choices != trace.choices && {
        accepted.push(&shrunk.best);
        let confirmed = smallest_confirmed(executor, found, &accepted, Repeats::Always);
        minimized.calls_to_confirm += confirmed.calls;
        replace(minimized, confirmed, &shrunk)
    };
    minimized.time += clock.elapsed();
    is_better
}

/// Whether the search may run. Each candidate of a hang, of an input that takes all memory and of a
/// stack overflow costs much, and the search needs many.
fn is_worth_it(minimized: &Minimized) -> bool {
    let is_costly = |failed: &Failed| {
        matches!(failed.kind, BugKind::Timeout | BugKind::Oom | BugKind::StackOverflow)
    };
    minimized.status == Status::Minimized
        && !minimized.only_when_fresh
        && !is_costly(&minimized.failed)
}

/// What is left of the limits of the minimization.
fn left(limits: Limits, minimized: &Minimized) -> Limits {
    Limits {
        calls_max: limits.calls_max.saturating_sub(minimized.calls),
        time_max: limits.time_max.saturating_sub(minimized.time),
        wall_max: limits.wall_max.saturating_sub(minimized.time),
        ..limits
    }
}

/// How many calls around a raw input are always worth it.
const RAW_MIN: u64 = 200;
/// How many candidates in a row the search may run without an improvement. Raw inputs are minimized
/// in tens of milliseconds, and a search of thousands of candidates would make that much longer. So
/// there the search gets as many calls as the passes needed.
fn calls_max(limits: Limits, minimized: &Minimized) -> u64 {
    let enough = if minimized.is_raw { minimized.calls_to_fixpoint.max(RAW_MIN) } else { u64::MAX };
    limits.around_max().min(enough)
}

fn search_within<S: Executor>(
    (limits, around_max): (Limits, u64),
    clock: &Clock,
    (executor, found): (&mut S, Found<'_>),
    stop: &mut dyn FnMut() -> bool,
    progress: &mut dyn FnMut(&Trace, u64),
) -> Shrunk {
    let has_lost = Cell::new(false);
    let mut searched_enough = clock.part(Limits::AROUND_TIME);
    let mut stop_around = || has_lost.get() || searched_enough() || stop();
    let id = (found.failed.id, found.only);
    let mut candidates = Watched {
        candidates: CandidateRunner::new(executor, id, Repeats::Always, clock),
        has_lost: &has_lost,
    };
    let budget = Budget {
        calls_max: limits.calls_max,
        exhaust_max: limits.exhaust_max.min(THOROUGH),
        around: Some(Around { calls_max: around_max, stop: &mut stop_around }),
        stop: &mut || clock.is_over(),
    };
    search_around(found.trace, CandidateRunner::<S>::ORIGIN, &mut candidates, budget, progress)
}

/// Records that a candidate cost a worker. A candidate that shows the minimized bug does not count.
struct Watched<'a, S> {
    candidates: CandidateRunner<'a, S>,
    has_lost: &'a Cell<bool>,
}

impl<S: Executor> Runner for Watched<'_, S> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        let outcome = self.candidates.run(candidate, choices_max, trace);
        let is_the_bug = outcome == Outcome::Failed(CandidateRunner::<S>::ORIGIN);
        if !is_the_bug && self.candidates.has_lost_worker() {
            self.has_lost.set(true);
        }
        outcome
    }
}

/// Puts the confirmed input into `minimized`, if it fails reliably and differs from the present
/// one.
fn replace(minimized: &mut Minimized, confirmed: Confirmed, shrunk: &Shrunk) -> bool {
    if !confirmed.is_reliable || confirmed.input == minimized.input {
        return false;
    }
    minimized.failed = confirmed.last;
    minimized.input = confirmed.input;
    minimized.choices = confirmed.choices;
    minimized.draws = confirmed.transcript.draws();
    minimized.notes = confirmed.transcript.notes();
    minimized.listing = listing(&confirmed.transcript);
    minimized.has_names = confirmed.transcript.has_names();
    minimized.no_smaller_among = shrunk.no_smaller_among.filter(|_| confirmed.is_best);
    minimized.status = status(true, shrunk.finish == Finish::Fixpoint && confirmed.is_best);
    true
}

#[cfg(test)]
mod tests;

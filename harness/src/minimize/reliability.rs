//! How a failure repeats: in every run, in some runs, or only in a process that ran nothing before.

use std::time::{Duration, Instant};

use dwindle_corpus::{BugId, BugKind, Rate};
use dwindle_engine::internals::Trace;

use crate::execution::{Executor, Run};
use crate::failure::failed::Failed;

/// How a failure repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// Whenever its input runs.
    Always,
    /// Whenever its input runs in a process that ran nothing before. The target keeps state from
    /// one run to the next.
    WhenFresh,
    /// In some runs of the same input.
    Sometimes(Rate),
}

/// Extra runs of an input before its failure counts as one that always repeats.
const AGAIN: u32 = 2;
/// Runs in new processes, and runs after another input, before state counts as the cause.
const FRESH: u32 = 4;
/// Number of runs that measure a rate.
const RUNS: u32 = 30;
/// Number of runs in which a candidate must prove that it fails as often.
const RUNS_OF_A_CANDIDATE: u32 = 12;
/// Maximum extra runs, and maximum time, for an input that did not fail at first.
const CHANCES: u32 = 20;
const CHANCES_TIME: Duration = Duration::from_secs(5);

/// How the failure `failed`, which `input` has just shown, repeats in `executor`.
///
/// Timeouts and out-of-memory failures count as repeating always. The runs that would prove it take
/// minutes.
pub(crate) fn of<S: Executor>(executor: &mut S, input: &[u8], failed: &Failed) -> Repeats {
    if !executor.can_start_afresh() || matches!(failed.kind, BugKind::Timeout | BugKind::Oom) {
        return Repeats::Always;
    }
    let id = failed.id;
    if (0..AGAIN).all(|_| fails(executor, input, id)) && fails_after_another(executor, input, id) {
        return Repeats::Always;
    }
    let fails_fresh = (0..FRESH).all(|_| {
        executor.start_afresh();
        fails(executor, input, id)
    });
    if fails_fresh && (0..FRESH).all(|_| !fails_after_another(executor, input, id)) {
        return Repeats::WhenFresh;
    }
    Repeats::Sometimes(rate(executor, input, id))
}

/// Runs `input` several times until it fails with a wanted failure.
pub(crate) fn chance<S: Executor>(
    executor: &mut S,
    input: &[u8],
    is_wanted: impl Fn(&Failed) -> bool,
    trace: &mut Trace,
) -> Option<Failed> {
    chance_within(CHANCES_TIME, executor, input, is_wanted, trace)
}

/// As [`chance`], with a maximum time.
pub(crate) fn chance_within<S: Executor>(
    time_max: Duration,
    executor: &mut S,
    input: &[u8],
    is_wanted: impl Fn(&Failed) -> bool,
    trace: &mut Trace,
) -> Option<Failed> {
    let began = Instant::now();
    let failed = (0..CHANCES)
        .take_while(|_| began.elapsed() < time_max)
        .find_map(|_| executor.run_input(input, trace).failure().filter(&is_wanted));
    failed.or_else(|| at_the_edge(executor, input, is_wanted, trace))
}

/// Tries an input that overflows only the smaller stacks. It runs with the smaller stack, and then
/// as the command that a report prints. If both fail, the runs that follow keep this stack.
pub(crate) fn at_the_edge<S: Executor>(
    executor: &mut S,
    input: &[u8],
    is_wanted: impl Fn(&Failed) -> bool,
    trace: &mut Trace,
) -> Option<Failed> {
    executor.narrow_stack(true);
    if let Run::Failed(failed) = executor.run_input(input, trace)
        && failed.kind == BugKind::StackOverflow
        && is_wanted(&failed)
        && executor.fails_as_printed(input, &failed, 1) == Some(true)
    {
        return Some(failed);
    }
    executor.narrow_stack(false);
    None
}

/// In how many of [`RUNS`] runs `input` fails as `id`.
pub(crate) fn rate<S: Executor>(executor: &mut S, input: &[u8], id: BugId) -> Rate {
    let failed = (0..RUNS).filter(|_| fails(executor, input, id)).count() as u32;
    Rate { failed, of: RUNS }
}

/// Runs a candidate until it has failed as often as `rate` requires, or can no longer do so.
/// `is_failure` runs it once and returns whether it failed.
pub(crate) fn fails_as_often(rate: Rate, mut is_failure: impl FnMut() -> bool) -> bool {
    // If the measured runs had no failure, one failure is required.
    let needed = (rate.failed * RUNS_OF_A_CANDIDATE).div_ceil(rate.of).max(1);
    let (mut failed, mut left) = (0, RUNS_OF_A_CANDIDATE);
    while failed < needed && failed + left >= needed {
        failed += u32::from(is_failure());
        left -= 1;
    }
    failed >= needed
}

fn fails<S: Executor>(executor: &mut S, input: &[u8], id: BugId) -> bool {
    let run = executor.run_input(input, &mut Trace::default());
    run.failure().is_some_and(|failed| failed.id == id)
}

/// Runs the simplest input first. An input that kills its process would only start a new process.
fn fails_after_another<S: Executor>(executor: &mut S, input: &[u8], id: BugId) -> bool {
    executor.run_input(&[], &mut Trace::default());
    fails(executor, input, id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_has_to_fail_as_often() {
        let third = Rate { failed: 10, of: 30 };
        let every = |n: u32| {
            let mut run = 0;
            move || {
                run += 1;
                run % n == 0
            }
        };
        assert!(fails_as_often(third, every(1)) && fails_as_often(third, every(3)));
        assert!(!fails_as_often(third, every(4)) && !fails_as_often(third, || false));
        assert!(fails_as_often(Rate { failed: 0, of: 30 }, every(12)));
    }

    #[test]
    fn a_candidate_that_cannot_fail_often_enough_is_given_up() {
        let mut runs = 0;
        fails_as_often(Rate { failed: 30, of: 30 }, || {
            runs += 1;
            false
        });
        assert_eq!(runs, 1);
    }
}

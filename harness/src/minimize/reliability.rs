//! How a failure shows itself again: always, now and then, or only in a process in which nothing ran before.

use std::time::{Duration, Instant};

use dwindle_corpus::{BugId, BugKind, Rate};
use dwindle_engine::Trace;

use crate::execution::{Executor, Run};
use crate::failure::failed::Failed;

/// How a failure shows itself again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// Whenever its input runs.
    Always,
    /// Whenever its input runs in a process in which nothing ran before: the target keeps state from one run to the next.
    WhenFresh,
    /// In some runs of one and the same input.
    Sometimes(Rate),
}

/// How often an input runs before its failure counts as one that always shows itself.
const AGAIN: u32 = 2;
/// How often it runs in processes of its own, and how often in one, before state is made out as the reason.
const FRESH: u32 = 4;
/// How many runs a rate is taken from.
const RUNS: u32 = 30;
/// How many runs a candidate has to show that it fails as often.
const RUNS_OF_A_CANDIDATE: u32 = 12;
/// How often an input that did not fail is given another chance, and for how long.
const CHANCES: u32 = 20;
const CHANCES_TIME: Duration = Duration::from_secs(5);

/// How the failure `failed`, which `input` has just shown, shows itself again in `executor`.
///
/// What takes very long or all memory is taken for what it was the first time: the runs that it takes to be sure would last for minutes.
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

/// Runs `input` until it fails in a way that is wanted, a number of times.
pub(crate) fn chance<S: Executor>(executor: &mut S, input: &[u8], is_wanted: impl Fn(&Failed) -> bool, trace: &mut Trace) -> Option<Failed> {
    chance_within(CHANCES_TIME, executor, input, is_wanted, trace)
}

/// The same, given up after this time.
pub(crate) fn chance_within<S: Executor>(
    time_max: Duration,
    executor: &mut S,
    input: &[u8],
    is_wanted: impl Fn(&Failed) -> bool,
    trace: &mut Trace,
) -> Option<Failed> {
    let began = Instant::now();
    let failed = (0..CHANCES).take_while(|_| began.elapsed() < time_max).find_map(|_| match executor.run_input(input, trace) {
        Run::Failed(failed) if is_wanted(&failed) => Some(failed),
        _ => None,
    });
    failed.or_else(|| at_the_edge(executor, input, is_wanted, trace))
}

/// An input that overflows the stack of some processes and not that of others does so where the stack is smaller, if the command fails that a report would print.
/// The runs that follow keep that stack.
pub(crate) fn at_the_edge<S: Executor>(executor: &mut S, input: &[u8], is_wanted: impl Fn(&Failed) -> bool, trace: &mut Trace) -> Option<Failed> {
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

/// In how many of so many runs `input` fails as `id`.
pub(crate) fn rate<S: Executor>(executor: &mut S, input: &[u8], id: BugId) -> Rate {
    let failed = (0..RUNS).filter(|_| fails(executor, input, id)).count() as u32;
    Rate { failed, of: RUNS }
}

/// Runs a candidate until it has failed, as `is_failure` has it of a run, as often as `rate` asks for; or cannot any more.
pub(crate) fn fails_as_often(rate: Rate, mut is_failure: impl FnMut() -> bool) -> bool {
    // A failure that did not come again in all these runs is asked for once.
    let needed = (rate.failed * RUNS_OF_A_CANDIDATE).div_ceil(rate.of).max(1);
    let (mut failed, mut left) = (0, RUNS_OF_A_CANDIDATE);
    while failed < needed && failed + left >= needed {
        failed += u32::from(is_failure());
        left -= 1;
    }
    failed >= needed
}

fn fails<S: Executor>(executor: &mut S, input: &[u8], id: BugId) -> bool {
    matches!(executor.run_input(input, &mut Trace::default()), Run::Failed(failed) if failed.id == id)
}

/// After the simplest input, that is: whatever kills its process would run in a new one otherwise.
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
    fn what_cannot_fail_often_enough_any_more_is_given_up() {
        let mut runs = 0;
        fails_as_often(Rate { failed: 30, of: 30 }, || {
            runs += 1;
            false
        });
        assert_eq!(runs, 1);
    }
}

//! The time and memory limits of one run of the target: a first run, a candidate or a run again.

use std::time::Duration;

use dwindle_corpus::BugKind;

use super::{hangs_after, memory_max};
use crate::execution::Runs;

/// What a run may take before it is ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed {
    /// Processor time.
    pub(crate) busy: Duration,
    /// Time in which it does nothing.
    pub(crate) idle: Duration,
    /// Private memory in bytes.
    pub(crate) memory: u64,
}

/// For the first run of an input, of which dwindle knows nothing.
const BUSY: Duration = Duration::from_secs(10);
const IDLE_AT_FIRST: Duration = Duration::from_secs(30);
/// A candidate may take ten times as long as the input it is made from, and at least this.
const BUSY_MIN: Duration = Duration::from_millis(300);
const SLOWER: u32 = 10;
/// For runs whose failure is a hang: a longer wait would only cost time.
const BUSY_OF_HANGS: Duration = Duration::from_millis(300);
const IDLE_OF_HANGS: Duration = Duration::from_secs(10);
/// A candidate that sleeps longer is ended, unless the input that it is made from sleeps too. It
/// may wake up later, so the kept input runs again with more time.
const IDLE_OF_CANDIDATES: Duration = Duration::from_millis(500);
/// The memory that a candidate may take if the failure is too much memory. The memory that the
/// process has before the target runs does not count.
pub(crate) const MEMORY_OF_BLOW_UPS: u64 = 256 << 20;

/// For a run for which the process with the session waits.
const BUSY_ALONE: Duration = Duration::from_secs(1);
const IDLE_ALONE: Duration = Duration::from_secs(2);
/// For a new process for which the process with the session waits. Its start takes a few seconds on
/// a busy machine.
pub(crate) const PROCESS_ALONE: Duration = Duration::from_secs(10);

impl Allowed {
    /// For the first run of an input.
    pub(crate) fn at_first() -> Allowed {
        Allowed { busy: BUSY, idle: IDLE_AT_FIRST, memory: memory_max() << 20 }
    }

    /// For `runs`. `slow` is the time that the last run took. `memory_before` returns the memory
    /// in bytes that a worker has before the target runs.
    pub(crate) fn of(runs: Runs, slow: Duration, memory_before: impl FnOnce() -> u64) -> Allowed {
        let first = Allowed::at_first();
        match runs {
            Runs::Again(BugKind::Timeout) => {
                Allowed { busy: hangs_after(), idle: hangs_after(), ..first }
            }
            Runs::Alone | Runs::AloneWith(_) => {
                Allowed { busy: BUSY_ALONE, idle: IDLE_ALONE, ..first }
            }
            Runs::BesideHangs => {
                Allowed { busy: BUSY_OF_HANGS * SLOWER, idle: IDLE_OF_HANGS, ..first }
            }
            Runs::Awaited(time) => Allowed { busy: time, idle: time, ..first },
            Runs::Briefly => Allowed { busy: BUSY_OF_HANGS, idle: IDLE_OF_CANDIDATES, ..first },
            Runs::Any | Runs::Fuzzing | Runs::Again(_) => first,
            // Some inputs hang only after long work. Shorter candidates would end before the hang.
            Runs::Candidates(BugKind::Timeout) => {
                let slow = slow.min(hangs_after());
                Allowed {
                    busy: slow.max(BUSY_OF_HANGS),
                    idle: slow.max(IDLE_OF_CANDIDATES),
                    ..first
                }
            }
            // Most of the time went into allocations beyond this limit.
            Runs::Candidates(BugKind::Oom) => {
                let memory = memory_before() + MEMORY_OF_BLOW_UPS;
                Allowed {
                    busy: slow.max(BUSY_MIN),
                    idle: IDLE_OF_CANDIDATES,
                    memory: memory.min(first.memory),
                }
            }
            Runs::Candidates(_) => Allowed {
                busy: (slow * SLOWER).max(BUSY_MIN),
                idle: (slow * SLOWER).max(IDLE_OF_CANDIDATES),
                ..first
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_of_a_hang_get_the_time_that_showed_the_hang() {
        let busy = |runs, slow| Allowed::of(runs, Duration::from_millis(slow), || 0).busy;
        let hang = Runs::Candidates(BugKind::Timeout);
        assert_eq!(busy(Runs::Briefly, 9000), BUSY_OF_HANGS);
        assert_eq!(busy(hang, 20), BUSY_OF_HANGS);
        assert_eq!(busy(hang, 1200), Duration::from_millis(1200));
        assert_eq!(busy(hang, 60_000), hangs_after());
    }

    #[test]
    fn candidates_may_sleep_ten_times_as_long_as_what_they_are_made_from() {
        let idle = |kind, slow| {
            Allowed::of(Runs::Candidates(kind), Duration::from_millis(slow), || 0).idle
        };
        assert_eq!(idle(BugKind::Panic, 0), IDLE_OF_CANDIDATES);
        assert_eq!(idle(BugKind::Panic, 300), Duration::from_secs(3));
        assert_eq!(idle(BugKind::Oom, 900), IDLE_OF_CANDIDATES);
    }
}

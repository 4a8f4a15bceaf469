//! When a run must be over, at any load. All work after its last execution shares one deadline.

use std::time::{Duration, Instant};

/// Time after the end of fuzzing at which a running fuzzer is asked to end. libFuzzer counts whole
/// seconds, and checks its time between two executions.
#[cfg(any(feature = "libfuzzer", test))]
const ASKED: Duration = Duration::from_millis(1_300);
/// Time after the end of fuzzing at which a running fuzzer is ended by force.
const ENDED: Duration = Duration::from_millis(2_500);
/// Time after the end of fuzzing at which a running minimization stops. The next run continues it.
const MINIMIZED: Duration = Duration::from_millis(4_200);
/// Time after the end of fuzzing at which waiting for other processes ends. The remaining work
/// takes moments, which may last two seconds on a busy machine.
const OVER: Duration = Duration::from_millis(5_200);

/// The end of a run with a time limit. Without a limit the deadline never passes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deadline {
    /// When the time for fuzzing is over.
    time_up: Option<Instant>,
}

impl Deadline {
    /// A deadline for a run that may fuzz for `seconds` from now on. 0 means no limit.
    pub(crate) fn after(seconds: Option<u64>) -> Deadline {
        let limit = seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs);
        Deadline { time_up: limit.and_then(|limit| Instant::now().checked_add(limit)) }
    }

    /// Whether the time for fuzzing is over.
    pub(crate) fn is_up(self) -> bool {
        self.is_past(Duration::ZERO)
    }

    /// Whether a fuzzer that still runs must be asked to end.
    #[cfg(any(feature = "libfuzzer", test))]
    pub(crate) fn asks_for_the_end(self) -> bool {
        self.is_past(ASKED)
    }

    /// Whether a fuzzer that still runs must be ended by force.
    pub(crate) fn ends_fuzzing(self) -> bool {
        self.is_past(ENDED)
    }

    /// Whether a running minimization must be left to the next run.
    pub(crate) fn ends_minimizing(self) -> bool {
        self.is_past(MINIMIZED)
    }

    /// When a run of the target that began before is given up.
    pub(crate) fn gives_up_at(self) -> Option<Instant> {
        self.time_up.map(|time_up| time_up + ENDED)
    }

    /// How long this process may still wait for another one, at most `patience`.
    pub(crate) fn left(self, patience: Duration) -> Duration {
        self.time_up.map_or(patience, |time_up| {
            (time_up + OVER).saturating_duration_since(Instant::now()).min(patience)
        })
    }

    fn is_past(self, after: Duration) -> bool {
        self.time_up.is_some_and(|time_up| Instant::now() >= time_up + after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_limit_never_ends_by_time() {
        for none in [Deadline::after(None), Deadline::after(Some(0))] {
            assert!(!none.is_up() && !none.ends_minimizing() && none.gives_up_at().is_none());
            assert_eq!(none.left(Duration::from_secs(3)), Duration::from_secs(3));
        }
    }

    #[test]
    fn the_steps_after_the_end_of_fuzzing_follow_one_another() {
        let steps = |ago: Duration| {
            let deadline = Deadline { time_up: Instant::now().checked_sub(ago) };
            [
                deadline.is_up(),
                deadline.asks_for_the_end(),
                deadline.ends_fuzzing(),
                deadline.ends_minimizing(),
            ]
        };
        assert_eq!(steps(Duration::ZERO), [true, false, false, false]);
        assert_eq!(steps(ASKED), [true, true, false, false]);
        assert_eq!(steps(ENDED), [true, true, true, false]);
        assert_eq!(steps(MINIMIZED), [true; 4]);
        let over = Deadline { time_up: Instant::now().checked_sub(OVER) };
        assert_eq!(over.left(Duration::from_secs(9)), Duration::ZERO);
        assert!(
            OVER < Duration::from_secs(8),
            "a run ends within ten seconds of its time, and the rest takes a moment"
        );
    }
}

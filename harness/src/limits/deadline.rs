//! When a run has to be over, at any load: one time for all that has to happen after its last execution.

use std::time::{Duration, Instant};

/// So long after its time a fuzzer is asked to end, if it did not end by itself: libFuzzer counts whole seconds, and looks between two executions.
#[cfg(any(feature = "libfuzzer", test))]
const ASKED: Duration = Duration::from_millis(1_300);
/// So long after its time it is ended.
const ENDED: Duration = Duration::from_millis(2_500);
/// The same for several fuzzers at once.
#[cfg(feature = "libfuzzer")]
const SEVERAL_ENDED: Duration = Duration::from_secs(4);
/// So long after its time what is being minimized is left for the next run.
const MINIMIZED: Duration = Duration::from_secs(5);
/// So long after its time nothing waits for another process any longer. What is left to do takes moments, which may last two seconds on a busy machine.
const OVER: Duration = Duration::from_millis(6_200);

/// The end of a run with a limit on its time; without one it is never up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deadline {
    /// When the time of fuzzing is over.
    time_up: Option<Instant>,
}

impl Deadline {
    /// For a run that may fuzz for so many seconds from now on; 0 is no limit.
    pub(crate) fn after(seconds: Option<u64>) -> Deadline {
        let limit = seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs);
        Deadline { time_up: limit.and_then(|limit| Instant::now().checked_add(limit)) }
    }

    /// The earlier of both.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn or(self, ends_after: Option<Duration>) -> Deadline {
        let other = ends_after.and_then(|after| Instant::now().checked_add(after));
        Deadline { time_up: self.time_up.into_iter().chain(other).min() }
    }

    /// Whether the time of fuzzing is over.
    pub(crate) fn is_up(self) -> bool {
        self.is_past(Duration::ZERO)
    }

    /// Whether a fuzzer that goes on is to be asked to end.
    #[cfg(any(feature = "libfuzzer", test))]
    pub(crate) fn asks_for_the_end(self) -> bool {
        self.is_past(ASKED)
    }

    /// Whether a fuzzer that goes on all the same is to be ended.
    pub(crate) fn ends_fuzzing(self) -> bool {
        self.is_past(ENDED)
    }

    /// Whether several fuzzers that go on all the same are to be ended: what each has learnt is merged when it has ended.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn ends_several(self) -> bool {
        self.is_past(SEVERAL_ENDED)
    }

    /// Whether what is being minimized is to be left for the next run.
    pub(crate) fn ends_minimizing(self) -> bool {
        self.is_past(MINIMIZED)
    }

    /// When a run of the target is given up that began before.
    pub(crate) fn gives_up_at(self) -> Option<Instant> {
        self.time_up.map(|time_up| time_up + ENDED)
    }

    /// How long another process may still be waited for, at most `patience`.
    pub(crate) fn left(self, patience: Duration) -> Duration {
        self.time_up.map_or(patience, |time_up| (time_up + OVER).saturating_duration_since(Instant::now()).min(patience))
    }

    fn is_past(self, after: Duration) -> bool {
        self.time_up.is_some_and(|time_up| Instant::now() >= time_up + after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_limit_is_never_up() {
        for none in [Deadline::after(None), Deadline::after(Some(0))] {
            assert!(!none.is_up() && !none.ends_minimizing() && none.gives_up_at().is_none());
            assert_eq!(none.left(Duration::from_secs(3)), Duration::from_secs(3));
        }
    }

    #[test]
    fn what_follows_the_end_of_fuzzing_comes_one_after_the_other() {
        let steps = |ago: Duration| {
            let deadline = Deadline { time_up: Instant::now().checked_sub(ago) };
            [deadline.is_up(), deadline.asks_for_the_end(), deadline.ends_fuzzing(), deadline.ends_minimizing()]
        };
        assert_eq!(steps(Duration::ZERO), [true, false, false, false]);
        assert_eq!(steps(ASKED), [true, true, false, false]);
        assert_eq!(steps(ENDED), [true, true, true, false]);
        assert_eq!(steps(MINIMIZED), [true; 4]);
        let over = Deadline { time_up: Instant::now().checked_sub(OVER) };
        assert_eq!(over.left(Duration::from_secs(9)), Duration::ZERO);
        assert!(OVER < Duration::from_secs(8), "a run ends within ten seconds of its time, and the rest takes a moment");
    }
}

//! Tells whether a minimization has used up its time.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::Limits;
use crate::system::{priority, usage};

/// Minimum interval between two reads of the processor time. A read takes three system calls, and
/// many candidates take little longer than that.
const LOOK: Duration = Duration::from_millis(1);

/// The processor time and the wall time of a minimization.
///
/// Time spent waiting for the processor does not count against the wall limit. So a minimization
/// gets the same processor time on a busy machine as on an idle one.
pub(crate) struct Clock {
    limits: Limits,
    started: Instant,
    /// Processor time at the start.
    busy: Duration,
    /// How long this thread and the target had waited for the processor at the start.
    waited: Duration,
    /// When the wall limit is reached, counted from the start. It includes the waiting time that is
    /// known so far.
    wall_due: Cell<Duration>,
    /// Processor time since the start, as of the last look.
    spent: Cell<Duration>,
    looked: Cell<Instant>,
    is_over: Cell<bool>,
}

impl Clock {
    /// Starts now. `elsewhere` is the processor time that the target has used so far outside the
    /// calling thread. `waited_elsewhere` is how long it has waited for the processor there.
    pub(crate) fn start(limits: Limits, elsewhere: Duration, waited_elsewhere: Duration) -> Clock {
        let now = Instant::now();
        Clock {
            limits,
            started: now,
            busy: usage::thread_time() + elsewhere,
            waited: priority::turns_of_this_thread().waited + waited_elsewhere,
            wall_due: Cell::new(limits.wall_max),
            spent: Cell::new(Duration::ZERO),
            looked: Cell::new(now),
            is_over: Cell::new(limits.wall_max.is_zero() || limits.time_max.is_zero()),
        }
    }

    /// Call it after each run. Checks whether the time is over, at most once in each [`LOOK`].
    pub(crate) fn look(
        &self,
        elsewhere: impl FnOnce() -> Duration,
        waited_elsewhere: impl FnOnce() -> Duration,
    ) {
        let now = Instant::now();
        if now.duration_since(self.looked.get()) < LOOK {
            return;
        }
        self.looked.set(now);
        let busy = (usage::thread_time() + elsewhere()).saturating_sub(self.busy);
        self.spent.set(busy);
        let elapsed = now.duration_since(self.started);
        if elapsed >= self.wall_due.get() {
            let waited = priority::turns_of_this_thread().waited + waited_elsewhere();
            self.wall_due.set(self.limits.wall_max + waited.saturating_sub(self.waited));
        }
        self.is_over.set(elapsed >= self.wall_due.get() || busy >= self.limits.time_max);
    }

    /// Says whether a part of the minimization has used up a processor time, or four times as much
    /// wall time. The part begins with the first question.
    pub(crate) fn part(&self, time_max: Duration) -> impl FnMut() -> bool {
        let mut began = None;
        move || {
            let (spent, now) = (self.spent.get(), self.looked.get());
            let (spent_before, before) = *began.get_or_insert((spent, now));
            spent.saturating_sub(spent_before) >= time_max
                || now.duration_since(before) >= time_max * 4
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_time_limit_ends_a_minimization() {
        let second = Duration::from_secs(1);
        let of = |time_max, wall_max| {
            Clock::start(Limits { time_max, wall_max, ..Limits::default() }, second, Duration::ZERO)
        };
        let after = |clock: &Clock, elsewhere| {
            std::thread::sleep(LOOK * 2);
            clock.look(|| elsewhere, || Duration::ZERO);
            clock.is_over()
        };
        let clock = of(second, second * 60);
        assert!(!clock.is_over() && !after(&clock, second * 3 / 2), "half of it is left");
        assert!(after(&clock, second * 2));
        clock.look(|| unreachable!("it was looked at a moment ago"), || unreachable!());
        // This thread also waits for the processor for a moment, and that time does not count.
        let clock = of(second * 60, LOOK);
        assert!((0..1000).any(|_| after(&clock, second)));
        assert!(of(Duration::ZERO, second).is_over() && of(second, Duration::ZERO).is_over());
    }

    #[test]
    fn waiting_for_the_processor_does_not_count() {
        let minute = Duration::from_mins(1);
        let clock = Clock::start(
            Limits { time_max: minute, wall_max: LOOK, ..Limits::default() },
            Duration::ZERO,
            minute,
        );
        let after_waiting = |waited| {
            std::thread::sleep(LOOK * 2);
            clock.look(|| Duration::ZERO, || waited);
            clock.is_over()
        };
        assert!(!after_waiting(minute * 2));
        assert!(!after_waiting(Duration::ZERO), "it is known to have waited for a minute");
    }
}

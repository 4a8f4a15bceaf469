//! Whether a minimization has used up its time.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::Limits;
use crate::process;

/// How often processor time is looked at: that takes three system calls, and many a candidate not much longer.
const LOOK: Duration = Duration::from_millis(1);

/// The time of a minimization, on the wall and of the processor.
pub(crate) struct Clock {
    limits: Limits,
    started: Instant,
    /// Processor time when it started.
    busy: Duration,
    looked: Cell<Instant>,
    is_over: Cell<bool>,
}

impl Clock {
    /// Starts now. `elsewhere`: processor time that the target has taken so far, if not that of the calling thread.
    pub(crate) fn start(limits: Limits, elsewhere: Duration) -> Clock {
        let now = Instant::now();
        let is_over = limits.wall_max.is_zero() || limits.time_max.is_zero();
        Clock { limits, started: now, busy: process::thread_time() + elsewhere, looked: Cell::new(now), is_over: Cell::new(is_over) }
    }

    /// After each run: looks whether it is over, unless that was done a moment ago.
    pub(crate) fn look(&self, elsewhere: impl FnOnce() -> Duration) {
        let now = Instant::now();
        if now.duration_since(self.looked.get()) < LOOK {
            return;
        }
        self.looked.set(now);
        let busy = (process::thread_time() + elsewhere()).saturating_sub(self.busy);
        self.is_over.set(now.duration_since(self.started) >= self.limits.wall_max || busy >= self.limits.time_max);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// How long it has been so far.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_time_ends_it() {
        let second = Duration::from_secs(1);
        let of = |time_max, wall_max| Clock::start(Limits { time_max, wall_max, ..Limits::default() }, second);
        let after = |clock: &Clock, elsewhere| {
            std::thread::sleep(LOOK * 2);
            clock.look(|| elsewhere);
            clock.is_over()
        };
        let clock = of(second, second * 60);
        assert!(!clock.is_over() && !after(&clock, second * 3 / 2), "half of it is left");
        assert!(after(&clock, second * 2));
        clock.look(|| unreachable!("it was looked at a moment ago"));
        assert!(after(&of(second, LOOK), second));
        assert!(of(Duration::ZERO, second).is_over() && of(second, Duration::ZERO).is_over());
    }
}

//! What one minimization may cost.

use std::time::Duration;

use dwindle_engine::internals::shrink::{AROUND, THOROUGH};

use crate::environment;

/// Limits of one minimization. It ends at the first that is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Maximum executions.
    pub(crate) calls_max: u64,
    /// Maximum executions that search around an input that no shrink pass improves.
    pub(crate) exhaust_max: u64,
    /// Maximum processor time of the thread that shrinks and of the target.
    pub(crate) time_max: Duration,
    /// Maximum wall time, for targets that sleep. Time spent waiting for the processor does not
    /// count.
    pub(crate) wall_max: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            calls_max: 100_000,
            // A minimizer takes its processor time from the fuzzer.
            exhaust_max: AROUND / 4,
            time_max: Duration::from_secs(10),
            wall_max: Duration::from_secs(10),
        }
    }
}

impl Limits {
    /// Maximum processor time that searches around an input that no shrink pass improves. A target
    /// of a microsecond can afford thousands of executions, one of a millisecond cannot.
    pub(crate) const AROUND_TIME: Duration = Duration::from_millis(500);

    /// How many of [`exhaust_max`](Limits::exhaust_max) executions are left for random cases. The
    /// others enumerate smaller sequences.
    pub(crate) fn around_max(&self) -> u64 {
        self.exhaust_max.saturating_sub(THOROUGH)
    }

    /// The defaults, changed by `DWINDLE_BUDGET_CALLS` and `DWINDLE_BUDGET_SECONDS`.
    pub(crate) fn from_environment() -> Result<Limits, String> {
        let mut limits = Limits::default();
        if let Some(calls) = environment::number(environment::BUDGET_CALLS)? {
            limits.calls_max = calls as u64;
        }
        if let Some(seconds) = environment::number(environment::BUDGET_SECONDS)? {
            limits.time_max = Duration::from_secs_f64(seconds);
            limits.wall_max = limits.time_max;
        }
        environment::number(environment::CHOICES_MAX)?;
        Ok(limits)
    }
}

//! How often a run interrupts its executions to check other work.

use std::time::{Duration, Instant};

/// Approximate time between two checks.
const EVERY: Duration = Duration::from_millis(50);

/// Counts the executions between two checks. Checks are then cheap and in time, at any speed of the
/// target.
#[derive(Debug)]
pub(crate) struct Pace {
    due_at: u64,
    stride: u64,
    looked: Instant,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace { due_at: 1, stride: 1, looked: Instant::now() }
    }

    /// Whether a check is due after this number of executions.
    #[inline]
    pub(crate) fn is_due(&self, executions: u64) -> bool {
        executions >= self.due_at
    }

    /// How many executions remain until the next check.
    pub(crate) fn left(&self, executions: u64) -> u64 {
        self.due_at.saturating_sub(executions).max(1)
    }

    /// Plans the next check. Call it after each check.
    pub(crate) fn plan(&mut self, executions: u64) {
        self.stride = if self.looked.elapsed() < EVERY / 2 {
            self.stride.saturating_mul(2)
        } else {
            (self.stride / 2).max(1)
        };
        self.looked = Instant::now();
        self.due_at = executions.saturating_add(self.stride);
    }
}

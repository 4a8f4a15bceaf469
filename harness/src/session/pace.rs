//! How often a run looks up from its executions.

use std::time::{Duration, Instant};

/// About this often.
const EVERY: Duration = Duration::from_millis(50);

/// Counts executions between two looks, so that looking costs nothing and comes in time, however fast the target is.
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

    /// Whether it is time after so many executions.
    #[inline]
    pub(crate) fn is_due(&self, executions: u64) -> bool {
        executions >= self.due_at
    }

    /// How many executions there may be before it is time.
    pub(crate) fn left(&self, executions: u64) -> u64 {
        self.due_at.saturating_sub(executions).max(1)
    }

    /// Plans the next look, after one.
    pub(crate) fn plan(&mut self, executions: u64) {
        self.stride = if self.looked.elapsed() < EVERY / 2 { self.stride.saturating_mul(2) } else { (self.stride / 2).max(1) };
        self.looked = Instant::now();
        self.due_at = executions.saturating_add(self.stride);
    }
}

//! The memory limit. libFuzzer would need a second thread to enforce it, so the supervisor does it.

use std::time::{Duration, Instant};

use crate::system::{children, usage};

/// How often the supervisor checks the memory.
const LOOK: Duration = Duration::from_millis(100);

/// The memory limit of a process that runs the target.
pub(super) struct Memory {
    /// In bytes. 0 means no limit.
    limit: u64,
    looked: Instant,
    was_too_much: bool,
}

impl Memory {
    /// Makes a limit in MiB. 0 means no limit.
    pub(super) fn new(limit: u64) -> Memory {
        Memory { limit: limit << 20, looked: Instant::now(), was_too_much: false }
    }

    /// Kills the process if it uses too much memory. The process id 0 stands for no process.
    pub(super) fn look(&mut self, process: libc::pid_t) {
        if self.limit == 0 || self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        if process > 0 && usage::memory_of(process) > self.limit {
            self.was_too_much = true;
            children::kill(process);
        }
    }

    /// Whether the process was killed for its memory since the last call.
    pub(super) fn was_too_much(&mut self) -> bool {
        std::mem::take(&mut self.was_too_much)
    }
}

//! The limit of memory, which libFuzzer would watch over in a thread of its own.

use std::time::{Duration, Instant};

use crate::system::{children, usage};

/// How often somebody looks.
const LOOK: Duration = Duration::from_millis(100);

/// How much memory a process that runs the target may have.
pub(super) struct Memory {
    /// In bytes; 0: as much as there is.
    limit: u64,
    looked: Instant,
    was_too_much: bool,
}

impl Memory {
    /// A limit in MiB; 0 is none.
    pub(super) fn new(limit: u64) -> Memory {
        Memory { limit: limit << 20, looked: Instant::now(), was_too_much: false }
    }

    /// Ends the process if it has too much; one of number 0 is none.
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

    /// Whether it was ended for that since this was asked last.
    pub(super) fn was_too_much(&mut self) -> bool {
        std::mem::take(&mut self.was_too_much)
    }
}

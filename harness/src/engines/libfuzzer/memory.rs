//! The limit of memory, which libFuzzer would watch over in a thread of its own.

use std::time::{Duration, Instant};

use crate::process;

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

    /// Ends those processes that have too much: what runs the target.
    pub(super) fn look(&mut self, processes: [Option<libc::pid_t>; 2]) {
        if self.limit == 0 || self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        for process in processes.into_iter().flatten().filter(|process| *process > 0) {
            if process::memory_of(process) > self.limit {
                self.was_too_much = true;
                process::kill(process);
            }
        }
    }

    /// Whether it was ended for that since this was asked last.
    pub(super) fn was_too_much(&mut self) -> bool {
        std::mem::take(&mut self.was_too_much)
    }
}

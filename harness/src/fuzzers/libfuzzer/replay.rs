//! A process that libFuzzer runs files in: it shows what each draws, then fails as a target of libfuzzer-sys does.

use dwindle_engine::Halt;

use super::coverage::Counters;
use crate::commands::files::Files;
use crate::exit;
use crate::system::{process, usage};

/// What runs the target there.
pub(super) struct Replay {
    files: Files,
    counters: Counters,
    /// How much memory the process may have, in MiB; 0: as much as there is.
    rss_limit: u64,
}

impl Replay {
    pub(super) fn new(files: Files, counters: Counters, rss_limit: u64) -> Replay {
        Replay { files, counters, rss_limit }
    }

    /// One execution; whether libFuzzer may keep the input.
    pub(super) fn execute(&mut self, input: &[u8]) -> bool {
        self.counters.begin();
        let halted: Option<Halt> = self.files.run(input);
        self.counters.end(halted.is_none());
        self.end_if_too_large();
        halted.is_none()
    }

    /// libFuzzer looks at the memory once a second, and so misses what a short run took: the same file would fail in one process and not in the next.
    fn end_if_too_large(&self) {
        let used = usage::peak_memory() >> 20;
        if self.rss_limit > 0 && used > self.rss_limit {
            eprintln!("ERROR: libFuzzer: out-of-memory (used: {used}Mb; limit: {}Mb)", self.rss_limit);
            eprintln!("   To change the out-of-memory limit use -rss_limit_mb=<N>");
            process::leave(exit::libfuzzer::OOM);
        }
    }
}

//! A process in which libFuzzer runs files: it shows what each file draws, then fails as a target
//! of libfuzzer-sys does.

use dwindle_engine::internals::Halt;

use super::coverage::Counters;
use crate::commands::files::Files;
use crate::exit;
use crate::system::{process, usage};

/// Runs the target in such a process.
pub(super) struct Replay {
    files: Files,
    counters: Counters,
    /// How much memory the process may use, in MiB. 0 means no limit.
    rss_limit: u64,
}

impl Replay {
    pub(super) fn new(files: Files, counters: Counters, rss_limit: u64) -> Replay {
        Replay { files, counters, rss_limit }
    }

    /// Runs one execution. Returns whether libFuzzer may keep the input.
    pub(super) fn execute(&mut self, input: &[u8]) -> bool {
        self.counters.begin();
        let halted: Option<Halt> = self.files.run(input);
        self.counters.end(halted.is_none());
        self.end_if_too_large();
        halted.is_none()
    }

    /// Ends the process if it has used too much memory.
    ///
    /// libFuzzer checks the memory only once a second, so it misses the memory of a short run. The
    /// same file would fail in one process and pass in the next.
    fn end_if_too_large(&self) {
        let used = usage::peak_memory() >> 20;
        if self.rss_limit > 0 && used > self.rss_limit {
            eprintln!(
                "ERROR: libFuzzer: out-of-memory (used: {used}Mb; limit: {}Mb)",
                self.rss_limit
            );
            eprintln!("   To change the out-of-memory limit use -rss_limit_mb=<N>");
            process::leave(exit::libfuzzer::OOM);
        }
    }
}

//! The memory of all processes of a triage, at its worst moment.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::crashes::TARGET;

/// Tells the processes of this measurement from all others.
pub(super) const MARKER: &str = "DWINDLE_TRIAGE_EVIDENCE";
/// The command, and the target with all that it forks.
const PROGRAMS: [&str; 2] = ["cargo-dwindle", TARGET];
/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Memory of all processes of the measurement together, in MiB: pages that several share counted in
/// parts (PSS), and in full for each (RSS).
#[derive(Clone, Copy, Default)]
pub(super) struct Memory {
    pub(super) own: u64,
    pub(super) resident: u64,
}

impl Memory {
    /// The most memory at any moment until `is_over`.
    pub(super) fn most_until(is_over: &AtomicBool) -> Memory {
        let mut most = Memory::default();
        while !is_over.load(Ordering::Acquire) {
            most = most.max(Memory::now());
            thread::sleep(LOOK);
        }
        most
    }

    fn now() -> Memory {
        let mark = format!("{MARKER}=1");
        let (mut own, mut resident) = (0, 0);
        for process in
            fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path())
        {
            let is_marked = fs::read(process.join("environ")).is_ok_and(|environment| {
                environment.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
            });
            // Not the cargo that starts it, and what that may have to build.
            let is_ours = fs::read_link(process.join("exe"))
                .is_ok_and(|program| PROGRAMS.iter().any(|ours| program.ends_with(ours)));
            if !is_marked || !is_ours {
                continue;
            }
            let text = fs::read_to_string(process.join("smaps_rollup")).unwrap_or_default();
            let field = |name: &str| {
                text.lines()
                    .find_map(|line| {
                        line.strip_prefix(name)?.split_whitespace().next()?.parse::<u64>().ok()
                    })
                    .unwrap_or(0)
            };
            own += field("Pss:");
            resident += field("Rss:");
        }
        Memory { own: own / 1024, resident: resident / 1024 }
    }

    fn max(self, other: Memory) -> Memory {
        Memory { own: self.own.max(other.own), resident: self.resident.max(other.resident) }
    }
}

//! Snapshots of the fuzzer, which sleep. When the target kills the fuzzer, the last copy goes on from where it was made, with all that libFuzzer has in memory: its corpus,
//! its coverage, its dictionaries. A death costs what was done since the copy was made, and no new start.
//!
//! Relies on libFuzzer: it fuzzes in one thread if `-rss_limit_mb=0` leaves out the thread that watches memory; all it knows is
//! in its memory; of the system it has the interval timer alone, which `fork` does not copy and this file sets again; between two
//! executions it holds no lock. `xtask/tests/end_to_end/properties.rs` tests for threads. A fuzzer with a second thread is never
//! copied. The switch is `snapshots`; without it every death costs a new start.

use std::time::{Duration, Instant};

use super::link::Link;
use crate::switches::Switch;
use crate::system::fork;
use crate::system::process::{self, Alarm};
use crate::system::{children, usage};

/// Who comes back from making a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The fuzzer that went on.
    Original,
    /// A copy of it, now the fuzzer: the one before has died.
    Copy,
}

/// How a copy that sleeps is listed among the processes.
const NAME: &[u8; 16] = b"dwindle-snap\0\0\0\0";

/// What it costs at least to have a page that was shared with a copy.
const PAGE: Duration = Duration::from_micros(2);

/// What a copy costs that took so long to make, if the one before has cost so many pages. To be rid of it takes about as long as to make it.
///
/// A target may be given pages for reasons of its own. To copy all there are takes some ten times as long as to share them.
fn cost(took: Duration, pages: u64) -> Duration {
    2 * took + (PAGE * pages.min(u32::MAX.into()) as u32).min(10 * took)
}

/// The copy that the fuzzer keeps.
pub(super) struct Snapshot {
    supervisor: libc::pid_t,
    waiting: Option<libc::pid_t>,
    /// The copy before, which was killed and is not yet waited for.
    retired: Option<libc::pid_t>,
    /// How many pages the fuzzer had been given when the last copy was made.
    pages: u64,
}

impl Snapshot {
    /// No snapshot yet. Snapshots are adopted by the supervisor.
    pub(super) fn new(supervisor: libc::pid_t) -> Snapshot {
        Snapshot { supervisor, waiting: None, retired: None, pages: usage::page_faults() }
    }

    /// Makes a copy in place of the one before, after so many executions. Returns twice, as `fork` does; in the copy not before its turn has come.
    ///
    /// Nothing is copied while the target has threads of its own: a copy would be without them, and wait for them.
    pub(super) fn renew(&mut self, link: Link, executions: u64) -> Who {
        if !Switch::Snapshots.is_on() || usage::threads() > 1 {
            return Who::Original;
        }
        let (began, alarm, original) = (Instant::now(), Alarm::read(), process::id());
        // The target may wait for any child that it has: a copy is none that it would meet.
        match fork::fork_with(0) {
            Ok(0) => {
                process::outlive_parent_for(original, self.supervisor);
                let name = process::name();
                process::rename(NAME);
                link.wait_for_turn();
                process::die_with(self.supervisor);
                process::rename(&name);
                alarm.set();
                *self = Snapshot::new(self.supervisor);
                Who::Copy
            }
            Ok(copy) => {
                let took = began.elapsed();
                let pages = usage::page_faults();
                let since = pages - std::mem::replace(&mut self.pages, pages);
                link.stands_by(copy, executions, cost(took, since));
                if let Some(retired) = self.retired.take() {
                    children::wait_for(retired);
                }
                self.retired = self.waiting.replace(copy);
                if let Some(retired) = self.retired {
                    children::kill(retired);
                }
                Who::Original
            }
            // Too many processes, or too little memory. The copy before is still there.
            Err(_) => Who::Original,
        }
    }
}

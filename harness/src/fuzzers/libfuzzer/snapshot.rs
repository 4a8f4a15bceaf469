//! Snapshots of the fuzzer, which sleep. When the target kills the fuzzer, the last snapshot
//! continues from the execution at which it was made. It has everything that libFuzzer has in
//! memory: the corpus, the coverage and the dictionaries. A death costs only the work since the
//! snapshot, and the fuzzer need not start anew.
//!
//! Relies on libFuzzer:
//!
//! - It fuzzes in one thread if `-rss_limit_mb=0` disables the thread that watches memory.
//! - All its state is in its memory. The one exception is the interval timer, which `fork` does not
//!   copy; this file sets it again.
//! - It holds no lock between two executions.
//!
//! `xtask/tests/end_to_end/libfuzzer.rs` tests for threads. A fuzzer with a second thread makes no
//! snapshots. The switch is `snapshots`; without it every death costs a new start.

use std::time::{Duration, Instant};

use super::link::Link;
use crate::switches::Switch;
use crate::system::fork;
use crate::system::process::{self, Alarm};
use crate::system::{children, usage};

/// The process that returns from making a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The fuzzer that continued.
    Original,
    /// A snapshot, which is the fuzzer now because the fuzzer before has died.
    Snapshot,
}

/// The name of a sleeping snapshot in the list of processes.
const NAME: &[u8; 16] = b"dwindle-snap\0\0\0\0";

/// The minimum cost of a page that was shared with a snapshot and must be copied.
const PAGE: Duration = Duration::from_micros(2);

/// After an attempt that made no snapshot, the fuzzer makes this number of executions. The number
/// doubles with each attempt.
const REST_MIN: u64 = 64;
const REST_MAX: u64 = 1 << 16;

/// The cost of a snapshot that took `took` to make. The fuzzer has received `pages` pages since the
/// snapshot before. Removing a snapshot takes about as long as making it, so `took` counts twice.
///
/// The target may receive pages for other reasons, so the cost of the pages has a limit. Copying
/// all pages takes about ten times as long as sharing them.
fn cost(took: Duration, pages: u64) -> Duration {
    2 * took + (PAGE * pages.min(u32::MAX.into()) as u32).min(10 * took)
}

/// The snapshots of the fuzzer.
pub(super) struct Snapshot {
    supervisor: libc::pid_t,
    waiting: Option<libc::pid_t>,
    /// The snapshot before. The fuzzer has killed it and has not yet waited for it.
    retired: Option<libc::pid_t>,
    /// How many pages the fuzzer had received when the last snapshot was made.
    pages: u64,
    /// How many executions the fuzzer makes at least before its next attempt. An attempt takes as
    /// long as many small executions, also if it makes no snapshot.
    rest: u64,
}

impl Snapshot {
    /// Begins without a snapshot. The supervisor adopts the snapshots.
    pub(super) fn new(supervisor: libc::pid_t) -> Snapshot {
        Snapshot { supervisor, waiting: None, retired: None, pages: usage::page_faults(), rest: 0 }
    }

    /// How many executions the fuzzer makes at least before it calls [`renew`](Snapshot::renew)
    /// again.
    #[inline]
    pub(super) fn rest(&self) -> u64 {
        self.rest
    }

    /// Makes a snapshot that replaces the one before. `executions` is the number of executions so
    /// far.
    ///
    /// Returns twice, as `fork` does. It returns in the snapshot only when the supervisor lets the
    /// snapshot continue.
    ///
    /// Makes no snapshot while the target has threads: the snapshot would lack these threads and
    /// wait for them.
    pub(super) fn renew(&mut self, link: Link, executions: u64) -> Who {
        if !Switch::Snapshots.is_on() {
            self.rest = u64::MAX;
            return Who::Original;
        }
        if usage::threads() > 1 {
            return self.refused();
        }
        let (began, alarm, original) = (Instant::now(), Alarm::read(), process::id());
        // The target may wait for any of its children. Without an exit signal, such a wait never
        // returns a snapshot.
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
                Who::Snapshot
            }
            Ok(snapshot) => {
                let took = began.elapsed();
                let pages = usage::page_faults();
                let since = pages - std::mem::replace(&mut self.pages, pages);
                self.rest = 0;
                link.stands_by(snapshot, executions, cost(took, since));
                if let Some(retired) = self.retired.take() {
                    children::wait_for(retired);
                }
                self.retired = self.waiting.replace(snapshot);
                if let Some(retired) = self.retired {
                    children::kill(retired);
                }
                Who::Original
            }
            // There are too many processes, or there is too little memory. The snapshot before
            // still exists.
            Err(_) => self.refused(),
        }
    }

    fn refused(&mut self) -> Who {
        self.rest = (2 * self.rest).clamp(REST_MIN, REST_MAX);
        Who::Original
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_without_a_snapshot_become_rare() {
        let mut snapshot = Snapshot::new(0);
        assert_eq!(snapshot.rest(), 0);
        let rests: Vec<u64> = (0..20)
            .map(|_| {
                snapshot.refused();
                snapshot.rest()
            })
            .collect();
        assert_eq!(rests[..3], [REST_MIN, 2 * REST_MIN, 4 * REST_MIN]);
        assert_eq!(rests[19], REST_MAX);
    }
}

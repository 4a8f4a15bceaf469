//! The bugs that other processes report to the process with the session. The session gets each bug
//! once. Later hits are counted in shared memory, by the bug's index in the order of reports.

use std::sync::atomic::{AtomicU64, Ordering};

use dwindle_corpus::BugId;

use crate::failure::failed::Failed;
use crate::session::{Hit, Session};

/// How many bugs of one session have counters.
pub(crate) const BUGS_MAX: usize = 2048;

/// Counters in shared memory: the hits of each bug, in the order of the first reports. It takes
/// about 16 KiB.
#[repr(transparent)]
pub(crate) struct HitCounters([AtomicU64; BUGS_MAX]);

impl HitCounters {
    /// Counts a hit of the bug at `index`. Returns the number of its hits, or `None` if the bug has
    /// no counter.
    pub(crate) fn saw(&self, index: usize) -> Option<u64> {
        Some(self.0.get(index)?.fetch_add(1, Ordering::AcqRel) + 1)
    }

    fn get(&self, index: usize) -> u64 {
        self.0.get(index).map_or(0, |count| count.load(Ordering::Acquire))
    }
}

/// The reported bugs, in order.
#[derive(Default)]
pub(crate) struct Tally(Vec<Reported>);

struct Reported {
    failed: Failed,
    /// If the folder of the bug was deleted, the bug is claimed again with this input.
    input: Vec<u8>,
    /// Hits that the session has counted.
    counted: u64,
}

impl Tally {
    /// Takes a report. Returns the index of its bug, and whether the bug is new. If the bug was
    /// reported before, only its call path is checked. An error contains what happened to the
    /// input.
    pub(crate) fn take(
        &mut self,
        session: &mut Session,
        input: &[u8],
        failed: Failed,
    ) -> Result<(usize, Hit), String> {
        if let Some(known) = self.place(failed.id) {
            session.look_for_variant(input, &failed).map_err(|error| error.to_string())?;
            return Ok((known, Hit::Known));
        }
        let hit = session.saw(input, &failed).map_err(|error| session.rescue(input, &error))?;
        self.0.push(Reported { failed, input: input.to_owned(), counted: 1 });
        Ok((self.0.len() - 1, hit))
    }

    /// Updates the session's counts. The counters include the first report of each bug.
    pub(crate) fn count(
        &mut self,
        session: &mut Session,
        counters: &HitCounters,
    ) -> Result<(), String> {
        for (index, Reported { failed, input, counted }) in self.0.iter_mut().enumerate() {
            let now = counters.get(index).max(*counted);
            let more = now - *counted;
            *counted = now;
            if more > 0 && !session.count(failed.id, more) {
                // The folder of the bug was deleted meanwhile.
                session.saw(input, failed).map_err(|error| session.rescue(input, &error))?;
            }
        }
        Ok(())
    }

    /// The index of a bug that was reported before.
    pub(crate) fn place(&self, id: BugId) -> Option<usize> {
        self.0.iter().position(|reported| reported.failed.id == id)
    }
}

//! Memory that the child and the daemon share: what failed, and how often.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use dwindle_corpus::BugId;

use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::isolation::bell::Bell;
use crate::isolation::shared::{Area, Header, Shared};
use crate::isolation::wire::Reader;
use crate::session::Sighting;
use crate::system::children;

/// How many bugs are counted one by one in a campaign.
const BUGS_MAX: usize = 2048;
/// How often a child that waits looks whether there is a daemon still.
const LOOK: Duration = Duration::from_millis(100);

/// What child and daemon tell each other.
#[repr(C)]
struct Numbers {
    /// The process that keeps; 0 before it is ready and once it has ended.
    daemon: AtomicI32,
    /// One once the daemon is ready, two if it cannot be.
    ready: Bell,
    /// How many failures were reported, by all children.
    reported: Bell,
    /// How many of these reports were taken.
    taken: Bell,
    /// Which of the campaign's bugs the last of them was, and whether it was new.
    index: AtomicU32,
    is_new: AtomicBool,
    /// Whether the last report says that the target uses dwindle wrongly.
    is_misuse: AtomicBool,
    /// How often each bug was seen, in the order of their first reports.
    sightings: [AtomicU64; BUGS_MAX],
}

// SAFETY: numbers, all of them atomic, in some 16 KiB.
unsafe impl Header for Numbers {}

/// One end of the memory; each process gets its own by forking.
#[derive(Clone, Copy)]
pub(super) struct Reports {
    shared: &'static Shared<Numbers>,
}

/// The bugs that a child has reported, by id: which of the campaign's bugs each is.
pub(super) type Reported = HashMap<BugId, usize>;

impl Reports {
    pub(super) fn new() -> io::Result<Reports> {
        Ok(Reports { shared: Shared::new()? })
    }

    fn numbers(self) -> &'static Numbers {
        self.shared.header()
    }

    // What the fork server does.

    /// Waits until the daemon is ready; `false` if it cannot be.
    pub(super) fn wait_for_daemon(self, daemon: libc::pid_t) -> bool {
        let ready = &self.numbers().ready;
        while ready.get() == 0 {
            ready.wait(0, Some(LOOK));
            if children::has_ended(daemon) {
                break;
            }
        }
        ready.get() == 1
    }

    // What the child does.

    /// Tells the daemon of a failure that this child had not met before, or how one that it had was reached: which of the campaign's bugs it is, and whether it was
    /// new. None if there is no daemon any more.
    pub(super) fn report(self, input: &[u8], failed: &Failed) -> Option<(usize, Sighting)> {
        // What a child reported that was ended before it had an answer.
        self.wait_until_taken()?;
        // SAFETY: the daemon reads the area between a report and its taking.
        let mut writer = unsafe { self.shared.write(Area::Answer) };
        writer.failed(failed);
        writer.string(input);
        writer.publish();
        let numbers = self.numbers();
        numbers.reported.set(numbers.reported.get() + 1);
        self.wait_until_taken()?;
        let sighting = if numbers.is_new.load(Ordering::Acquire) { Sighting::New } else { Sighting::Known };
        Some((numbers.index.load(Ordering::Acquire) as usize, sighting))
    }

    /// Tells the daemon that the target uses dwindle wrongly. It ends the campaign's instance.
    pub(super) fn report_misuse(self, misuse: &Misuse) {
        if self.wait_until_taken().is_none() {
            return;
        }
        // SAFETY: the daemon reads the area between a report and its taking.
        let mut writer = unsafe { self.shared.write(Area::Answer) };
        writer.string(misuse.0.as_bytes());
        writer.publish();
        let numbers = self.numbers();
        numbers.is_misuse.store(true, Ordering::Release);
        numbers.reported.set(numbers.reported.get() + 1);
        self.wait_until_taken();
    }

    fn wait_until_taken(self) -> Option<()> {
        let numbers = self.numbers();
        loop {
            let taken = numbers.taken.get();
            if taken == numbers.reported.get() {
                return Some(());
            }
            if !children::is_running(numbers.daemon.load(Ordering::Acquire)) {
                return None;
            }
            numbers.taken.wait(taken, Some(LOOK));
        }
    }

    /// Counts a sighting of one of the campaign's bugs: how many there are, if anybody counts.
    #[inline]
    pub(super) fn saw(self, index: usize) -> Option<u64> {
        let count = self.numbers().sightings.get(index)?;
        Some(count.fetch_add(1, Ordering::AcqRel) + 1)
    }

    // What the daemon does.

    /// Says whether it can keep.
    pub(super) fn ready(self, daemon: Option<libc::pid_t>) {
        let numbers = self.numbers();
        numbers.daemon.store(daemon.unwrap_or(0), Ordering::Release);
        numbers.ready.set(if daemon.is_some() { 1 } else { 2 });
    }

    /// Says that it keeps no longer.
    pub(super) fn close(self) {
        self.numbers().daemon.store(0, Ordering::Release);
    }

    /// What a child says of wrong use, if one did.
    pub(super) fn misuse(self) -> Option<Misuse> {
        let numbers = self.numbers();
        if !numbers.is_misuse.load(Ordering::Acquire) {
            return None;
        }
        Reader::new(&self.shared.read(Area::Answer)).text().map(Misuse)
    }

    /// Waits a while for a report: the failure and its input.
    pub(super) fn wait(self, patience: Duration, manifest_dir: &Path) -> Option<(Failed, Vec<u8>)> {
        let numbers = self.numbers();
        numbers.reported.wait(numbers.taken.get(), Some(patience));
        if numbers.reported.get() == numbers.taken.get() {
            return None;
        }
        if numbers.is_misuse.load(Ordering::Acquire) {
            return None;
        }
        let report = self.shared.read(Area::Answer);
        let mut reader = Reader::new(&report);
        Some((reader.failed(manifest_dir)?, reader.string()?.to_vec()))
    }

    /// Lets the child go on: what it reported is the `index`th of the campaign's bugs.
    pub(super) fn take(self, index: usize, sighting: Sighting) {
        let numbers = self.numbers();
        numbers.index.store(index as u32, Ordering::Release);
        numbers.is_new.store(sighting == Sighting::New, Ordering::Release);
        numbers.taken.set(numbers.reported.get());
    }

    /// How often one of the campaign's bugs was seen.
    pub(super) fn sightings(self, index: usize) -> u64 {
        self.numbers().sightings.get(index).map_or(0, |count| count.load(Ordering::Acquire))
    }
}

//! Memory that the child and the daemon share: the failures and their counts.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::Duration;

use dwindle_corpus::BugId;

use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::isolation::bell::Bell;
use crate::isolation::shared::{Area, Header, Shared};
use crate::isolation::wire::Reader;
use crate::session::Hit;
use crate::session::tally::HitCounters;
use crate::system::children;

/// How often a waiting child checks that the daemon still runs.
const LOOK: Duration = Duration::from_millis(100);

/// The numbers that the child and the daemon exchange.
#[repr(C)]
struct Numbers {
    /// The process id of the daemon. It is 0 before the daemon is ready and after it has ended.
    daemon: AtomicI32,
    /// 1 once the daemon is ready, 2 if it cannot open the store.
    ready: Bell,
    /// How many failures all children have reported.
    reported: Bell,
    /// How many of these reports the daemon has taken.
    taken: Bell,
    /// The index of the last reported bug among the campaign's bugs, and whether that bug was new.
    index: AtomicU32,
    is_new: AtomicBool,
    /// Whether the last report says that the target uses dwindle wrongly.
    is_misuse: AtomicBool,
    hits: HitCounters,
}

// SAFETY: all fields are atomic numbers, and together they take about 16 KiB.
unsafe impl Header for Numbers {}

/// One end of the memory. Each process inherits it through fork.
#[derive(Clone, Copy)]
pub(super) struct Reports {
    shared: &'static Shared<Numbers>,
}

/// The bugs that a child has reported: the id of each, and its index among the campaign's bugs.
pub(super) type Reported = HashMap<BugId, usize>;

impl Reports {
    pub(super) fn new() -> io::Result<Reports> {
        Ok(Reports { shared: Shared::new()? })
    }

    fn numbers(self) -> &'static Numbers {
        self.shared.header()
    }

    // Functions of the fork server.

    /// Waits until the daemon is ready. Returns `false` if the daemon cannot open the store or has
    /// ended.
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

    // Functions of the child.

    /// Reports a failure to the daemon: of a bug that is new to this child, or of a known bug whose
    /// call path is to be checked.
    ///
    /// Returns the index of the bug among the campaign's bugs, and whether the bug was new. Returns
    /// `None` if the daemon has ended.
    pub(super) fn report(self, input: &[u8], failed: &Failed) -> Option<(usize, Hit)> {
        // A child that was killed may have left a report that the daemon has not taken yet.
        self.wait_until_taken()?;
        // SAFETY: the daemon reads the area only after a report and before it takes that report.
        let mut writer = unsafe { self.shared.write(Area::Answer) };
        writer.failed(failed);
        writer.string(input);
        writer.publish();
        let numbers = self.numbers();
        numbers.reported.set(numbers.reported.get() + 1);
        self.wait_until_taken()?;
        let hit = if numbers.is_new.load(Ordering::Acquire) { Hit::New } else { Hit::Known };
        Some((numbers.index.load(Ordering::Acquire) as usize, hit))
    }

    /// Reports to the daemon that the target uses dwindle wrongly. The daemon then ends this
    /// instance of the campaign.
    pub(super) fn report_misuse(self, misuse: &Misuse) {
        if self.wait_until_taken().is_none() {
            return;
        }
        // SAFETY: the daemon reads the area only after a report and before it takes that report.
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

    // Functions of the daemon.

    /// Publishes that the daemon is ready, or with `None` that it cannot open the store.
    pub(super) fn ready(self, daemon: Option<libc::pid_t>) {
        let numbers = self.numbers();
        numbers.daemon.store(daemon.unwrap_or(0), Ordering::Release);
        numbers.ready.set(if daemon.is_some() { 1 } else { 2 });
    }

    /// Publishes that the daemon takes no more reports.
    pub(super) fn close(self) {
        self.numbers().daemon.store(0, Ordering::Release);
    }

    /// The message about wrong use of dwindle, if a child has reported one.
    pub(super) fn misuse(self) -> Option<Misuse> {
        let numbers = self.numbers();
        if !numbers.is_misuse.load(Ordering::Acquire) {
            return None;
        }
        Reader::new(&self.shared.read(Area::Answer)).text().map(Misuse)
    }

    /// Waits up to `patience` for a report, and returns the failure and its input.
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

    /// Lets the child continue: its report is the bug at `index` among the campaign's bugs.
    pub(super) fn take(self, index: usize, hit: Hit) {
        let numbers = self.numbers();
        numbers.index.store(index as u32, Ordering::Release);
        numbers.is_new.store(hit == Hit::New, Ordering::Release);
        numbers.taken.set(numbers.reported.get());
    }

    /// The hits of the campaign's bugs.
    pub(super) fn hits(self) -> &'static HitCounters {
        &self.numbers().hits
    }
}

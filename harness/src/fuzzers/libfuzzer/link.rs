//! Memory that the fuzzer and its supervisor share: the input in flight, the failures and their
//! counts.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use dwindle_corpus::BugId;

use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::isolation::bell::Bell;
use crate::isolation::death;
use crate::isolation::shared::{Area, Header, Shared};
use crate::isolation::wire::Reader;

/// How long a process takes to end.
const MOMENT: Duration = Duration::from_micros(200);
/// How many bugs of a run are counted one by one.
const BUGS_MAX: usize = 2048;

/// The numbers that the fuzzer and the supervisor exchange.
#[repr(C)]
pub(super) struct Numbers {
    /// The length of the input in flight, plus one. 0 while the target does not run.
    in_flight: AtomicU64,
    /// How many executions this run has made.
    executions: AtomicU64,
    /// How many of them repeat executions of a fuzzer that died. A snapshot repeats the executions
    /// that were made since it was made.
    repeated: AtomicU64,
    /// How many inputs were not run because they are known crashing inputs.
    skipped: AtomicU64,
    /// Whether the fuzzer is in the target's own mutator.
    mutates: AtomicBool,
    /// The process id of the waiting snapshot; 0 without a snapshot.
    snapshot: AtomicI32,
    /// The number of executions when the waiting snapshot was made.
    snapshot_at: AtomicU64,
    /// The process id of the snapshot before that one. The fuzzer ends it.
    retired: AtomicI32,
    /// The cost of the last snapshot in nanoseconds, and the cost of all snapshots.
    copying: AtomicU64,
    copying_all: AtomicU64,
    /// The fuzzer makes a new snapshot after this number of executions.
    copy_after: AtomicU64,
    /// The process id of the snapshot that continues now.
    turn: Bell,
    /// Whether the last input killed the fuzzer.
    killer: AtomicBool,
    /// How many failures this fuzzer has reported.
    reported: AtomicU32,
    /// How many of these reports the supervisor has taken.
    taken: Bell,
    /// The index of the last reported bug among the run's bugs.
    index: AtomicU32,
    /// Whether the last report is the death of a worker, whether the worker left a record, and its
    /// status from `waitpid`. The fuzzer runs inputs in a worker first.
    reported_death: AtomicBool,
    has_record: AtomicBool,
    status: AtomicI32,
    /// Whether the fuzzer runs inputs in a worker first.
    screening: AtomicBool,
    /// How many inputs a worker survived, and how long that took in nanoseconds.
    survived: AtomicU64,
    surviving: AtomicU64,
    /// How many inputs killed a worker, and how long that took in nanoseconds.
    killed: AtomicU64,
    killing: AtomicU64,
    /// How often the fuzzer has rung for its supervisor. It rings for each report, and for the
    /// record that it writes when it dies.
    pub(super) bell: Bell,
    /// The exit code with which the fuzzer ended by itself, plus one. 0 while it has not ended.
    ended: AtomicU64,
    /// How many hits each bug has, in the order of the first reports.
    hits: [AtomicU64; BUGS_MAX],
    /// The reported ids, the index of the bug of each, and the number of ids. A target cannot
    /// damage them here.
    ids: [AtomicU64; BUGS_MAX],
    bugs: [AtomicU32; BUGS_MAX],
    ids_known: AtomicU32,
    /// Whether the waiting report says that the target uses dwindle wrongly.
    reported_misuse: AtomicBool,
}

// SAFETY: all fields are atomic numbers, and together they take about 40 KiB.
unsafe impl Header for Numbers {}

/// A report of the fuzzer.
pub(super) enum Report {
    Failure(Failed),
    /// The target uses dwindle wrongly.
    Misuse(Misuse),
    /// The death of a worker; see [`Prescreened::Died`](crate::isolation::Prescreened::Died).
    Death {
        has_record: bool,
        status: libc::c_int,
    },
}

/// One end of the link. The fuzzer inherits its end through fork.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) shared: &'static Shared<Numbers>,
}

impl Link {
    pub(super) fn new() -> io::Result<Link> {
        let link = Link { shared: Shared::new()? };
        link.want_copies(u64::MAX);
        Ok(link)
    }

    pub(super) fn numbers(self) -> &'static Numbers {
        self.shared.header()
    }

    // Functions of the fuzzer.

    /// Publishes that the target is about to run on this input.
    #[inline]
    pub(super) fn begin(self, input: &[u8]) {
        // SAFETY: the supervisor reads the area only when this process is dead.
        unsafe { self.shared.put(Area::Request, input) };
        self.numbers().in_flight.store((input.len() as u64).wrapping_add(1), Ordering::Release);
    }

    /// Publishes that the target has returned.
    #[inline]
    pub(super) fn end(self, executions: u64) {
        self.numbers().in_flight.store(0, Ordering::Release);
        self.numbers().executions.store(executions, Ordering::Release);
    }

    /// Publishes whether the target's own mutator runs.
    pub(super) fn mutates(self, mutates: bool) {
        self.numbers().mutates.store(mutates, Ordering::Release);
    }

    /// Publishes a new snapshot, the number of executions when it was made, and its cost. The
    /// snapshot before it retires.
    pub(super) fn stands_by(self, copy: libc::pid_t, executions: u64, cost: Duration) {
        let numbers = self.numbers();
        numbers.retired.store(numbers.snapshot.load(Ordering::Acquire), Ordering::Release);
        numbers.copying.store(cost.as_nanos() as u64, Ordering::Release);
        numbers.copying_all.fetch_add(cost.as_nanos() as u64, Ordering::AcqRel);
        numbers.snapshot_at.store(executions, Ordering::Release);
        numbers.snapshot.store(copy, Ordering::Release);
    }

    /// After how many executions the fuzzer makes a new snapshot of itself.
    #[inline]
    pub(super) fn copy_after(self) -> u64 {
        self.numbers().copy_after.load(Ordering::Relaxed)
    }

    /// Waits until the supervisor lets this snapshot continue.
    pub(super) fn wait_for_turn(self) {
        let (turn, me) = (&self.numbers().turn, crate::system::process::id() as u32);
        loop {
            let now = turn.get();
            if now == me {
                return;
            }
            turn.wait(now, None);
        }
    }

    /// The input that killed the fuzzer before this one.
    pub(super) fn killer(self) -> Option<Vec<u8>> {
        self.numbers().killer.load(Ordering::Acquire).then(|| self.last())
    }

    /// Counts executions that the fuzzer will make again.
    pub(super) fn repeats(self, executions: u64) {
        self.numbers().repeated.fetch_add(executions, Ordering::AcqRel);
    }

    pub(super) fn skipped(self) {
        self.numbers().skipped.fetch_add(1, Ordering::AcqRel);
    }

    /// Reports a failure to the supervisor: one that is new to this fuzzer, or the call path of a
    /// known one.
    ///
    /// Waits until the supervisor has taken the report. Returns the index of the bug among the
    /// run's bugs.
    pub(super) fn report(self, input: &[u8], failed: &Failed) -> usize {
        self.wait_until_taken();
        // SAFETY: the supervisor reads the area only after a report and before it takes that
        // report.
        let mut writer = unsafe { self.shared.write(Area::Answer) };
        writer.failed(failed);
        writer.string(input);
        writer.publish();
        self.numbers().reported_death.store(false, Ordering::Release);
        self.ring();
        self.wait_until_taken();
        self.numbers().index.load(Ordering::Acquire) as usize
    }

    /// Reports to the supervisor that the target uses dwindle wrongly. The supervisor then ends the
    /// run.
    pub(super) fn report_misuse(self, misuse: &Misuse) {
        self.wait_until_taken();
        // SAFETY: the supervisor reads the area only after a report and before it takes that
        // report.
        let mut writer = unsafe { self.shared.write(Area::Answer) };
        writer.string(misuse.0.as_bytes());
        writer.publish();
        self.numbers().reported_misuse.store(true, Ordering::Release);
        self.ring();
        self.wait_until_taken();
    }

    /// The index of a bug among the run's bugs, if its id was reported before.
    #[inline]
    pub(super) fn known(self, id: BugId) -> Option<usize> {
        let numbers = self.numbers();
        let count = numbers.ids_known.load(Ordering::Acquire) as usize;
        let place = numbers
            .ids
            .get(..count)?
            .iter()
            .position(|known| known.load(Ordering::Relaxed) == id.to_bits())?;
        Some(numbers.bugs.get(place)?.load(Ordering::Relaxed) as usize)
    }

    /// Reports to the supervisor that the input killed a worker, and does not wait for it. The next
    /// worker must not die before the supervisor has taken the report.
    pub(super) fn report_death(self, input: &[u8], has_record: bool, status: libc::c_int) {
        self.wait_until_taken();
        // SAFETY: the supervisor reads the area only after a report and before it takes that
        // report.
        let mut writer = unsafe { self.shared.write(Area::Answer) };
        writer.string(input);
        writer.publish();
        let numbers = self.numbers();
        numbers.has_record.store(has_record, Ordering::Release);
        numbers.status.store(status, Ordering::Release);
        numbers.reported_death.store(true, Ordering::Release);
        self.ring();
    }

    fn ring(self) {
        let numbers = self.numbers();
        let report = numbers.reported.load(Ordering::Acquire) + 1;
        numbers.reported.store(report, Ordering::Release);
        numbers.bell.set(report);
    }

    /// Waits until the supervisor has taken the last report.
    pub(super) fn wait_until_taken(self) {
        let numbers = self.numbers();
        let reported = numbers.reported.load(Ordering::Acquire);
        loop {
            let taken = numbers.taken.get();
            if taken == reported {
                return;
            }
            numbers.taken.wait(taken, None);
        }
    }

    /// Whether the fuzzer runs inputs in a worker first.
    #[inline]
    pub(super) fn screens(self) -> bool {
        self.numbers().screening.load(Ordering::Relaxed)
    }

    /// Counts an input that was run in a worker first.
    pub(super) fn screened(self, died: bool, took: Duration) {
        let numbers = self.numbers();
        let (count, time) = if died {
            (&numbers.killed, &numbers.killing)
        } else {
            (&numbers.survived, &numbers.surviving)
        };
        count.fetch_add(1, Ordering::AcqRel);
        time.fetch_add(took.as_nanos() as u64, Ordering::AcqRel);
    }

    /// Counts a hit of one of the run's bugs. Returns the number of hits, or `None` if the bug has
    /// no counter.
    #[inline]
    pub(super) fn saw(self, index: usize) -> Option<u64> {
        let count = self.numbers().hits.get(index)?;
        let more = count.load(Ordering::Relaxed) + 1;
        count.store(more, Ordering::Release);
        Some(more)
    }

    /// Publishes that the fuzzer ends by itself.
    pub(super) fn leave(self, code: i32) {
        self.numbers().ended.store(u64::from(code as u32) + 1, Ordering::Release);
    }

    // Functions of the supervisor.

    /// Waits up to `patience` for a report, or a moment for the end of a fuzzer that has left its
    /// record.
    pub(super) fn wait(self, patience: Duration) {
        let numbers = self.numbers();
        if self.has_record() {
            // The fuzzer is about to end.
            std::thread::sleep(MOMENT);
        } else {
            numbers.bell.wait(numbers.taken.get(), Some(patience));
        }
    }

    fn has_record(self) -> bool {
        let numbers = self.numbers();
        numbers.bell.get() > numbers.reported.load(Ordering::Acquire)
    }

    /// The waiting report, if there is one, and its input.
    pub(super) fn waiting(self, manifest_dir: &Path) -> Option<(Report, Vec<u8>)> {
        let numbers = self.numbers();
        if numbers.reported.load(Ordering::Acquire) == numbers.taken.get() {
            return None;
        }
        let answer = self.shared.read(Area::Answer);
        let mut reader = Reader::new(&answer);
        if numbers.reported_misuse.load(Ordering::Acquire) {
            return Some((Report::Misuse(Misuse(reader.text()?)), Vec::new()));
        }
        if numbers.reported_death.load(Ordering::Acquire) {
            let death = Report::Death {
                has_record: numbers.has_record.load(Ordering::Acquire),
                status: numbers.status.load(Ordering::Acquire),
            };
            return Some((death, reader.string()?.to_vec()));
        }
        Some((Report::Failure(reader.failed(manifest_dir)?), reader.string()?.to_vec()))
    }

    /// Publishes to the fuzzers that this id belongs to the bug at `index` among the run's bugs.
    pub(super) fn add(self, id: BugId, index: usize) {
        let numbers = self.numbers();
        let count = numbers.ids_known.load(Ordering::Acquire);
        if self.known(id).is_none()
            && let (Some(place), Some(bug)) =
                (numbers.ids.get(count as usize), numbers.bugs.get(count as usize))
        {
            place.store(id.to_bits(), Ordering::Release);
            bug.store(index as u32, Ordering::Release);
            numbers.ids_known.store(count + 1, Ordering::Release);
        }
    }

    /// Lets the fuzzer continue: its report is the bug at `index` among the run's bugs.
    pub(super) fn take(self, index: usize) {
        let numbers = self.numbers();
        numbers.index.store(index as u32, Ordering::Release);
        numbers.taken.set(numbers.reported.load(Ordering::Acquire));
    }

    /// How many hits the bug at `index` has.
    pub(super) fn hits(self, index: usize) -> u64 {
        self.numbers().hits.get(index).map_or(0, |count| count.load(Ordering::Acquire))
    }

    pub(super) fn executions(self) -> u64 {
        self.numbers().executions.load(Ordering::Acquire)
    }

    pub(super) fn repeated(self) -> u64 {
        self.numbers().repeated.load(Ordering::Acquire)
    }

    /// The waiting snapshot and its cost.
    pub(super) fn snapshot(self) -> Option<(libc::pid_t, Duration)> {
        let numbers = self.numbers();
        let copy = numbers.snapshot.load(Ordering::Acquire);
        (copy != 0).then(|| (copy, Duration::from_nanos(numbers.copying.load(Ordering::Acquire))))
    }

    /// Whether the fuzzer was in the target's own mutator when it died.
    pub(super) fn was_mutating(self) -> bool {
        self.numbers().mutates.load(Ordering::Acquire)
    }

    /// Whether the waiting snapshot has run the last input as well. libFuzzer runs an input twice
    /// before it looks for leaks.
    pub(super) fn copy_ran_the_last(self) -> bool {
        self.numbers().snapshot_at.load(Ordering::Acquire) + 2 > self.executions()
    }

    /// The cost of all snapshots.
    pub(super) fn copying(self) -> Duration {
        Duration::from_nanos(self.numbers().copying_all.load(Ordering::Acquire))
    }

    /// The snapshot that the last one has replaced.
    pub(super) fn retired(self) -> libc::pid_t {
        self.numbers().retired.load(Ordering::Acquire)
    }

    /// Makes the fuzzer take a new snapshot of itself after this number of executions.
    pub(super) fn want_copies(self, after: u64) {
        self.numbers().copy_after.store(after, Ordering::Relaxed);
    }

    /// Lets a snapshot continue in place of the fuzzer that died.
    pub(super) fn wake(self, copy: libc::pid_t) {
        self.numbers().turn.set(copy as u32);
    }

    /// Sets whether the fuzzer runs inputs in a worker first.
    pub(super) fn prescreen(self, on: bool) {
        self.numbers().screening.store(on, Ordering::Relaxed);
    }

    /// How many inputs a worker survived, and how long that took.
    pub(super) fn survived(self) -> (u64, Duration) {
        let numbers = self.numbers();
        (
            numbers.survived.load(Ordering::Acquire),
            Duration::from_nanos(numbers.surviving.load(Ordering::Acquire)),
        )
    }

    /// How many inputs killed a worker, and how long that took.
    pub(super) fn killed(self) -> (u64, Duration) {
        let numbers = self.numbers();
        (
            numbers.killed.load(Ordering::Acquire),
            Duration::from_nanos(numbers.killing.load(Ordering::Acquire)),
        )
    }

    pub(super) fn skips(self) -> u64 {
        self.numbers().skipped.load(Ordering::Acquire)
    }

    /// The exit code, if the fuzzer ended by itself.
    pub(super) fn ended(self) -> Option<i32> {
        self.numbers().ended.load(Ordering::Acquire).checked_sub(1).map(|code| code as i32)
    }

    /// The input on which the fuzzer died.
    pub(super) fn in_flight(self) -> Option<Vec<u8>> {
        self.numbers().in_flight.load(Ordering::Acquire).checked_sub(1)?;
        Some(self.last())
    }

    /// The input that the target ran on last.
    pub(super) fn last(self) -> Vec<u8> {
        self.shared.read(Area::Request)
    }

    /// The record that the fuzzer wrote before it died, if it wrote one.
    pub(super) fn record(self) -> Option<crate::failure::deaths::Death> {
        if !self.has_record() {
            return None;
        }
        death::read(self.shared)
    }

    /// Resets everything except the counts for a new fuzzer. `killer`: the last input killed the
    /// fuzzer before.
    pub(super) fn reset(self, killer: bool) {
        let numbers = self.numbers();
        numbers.reported.store(0, Ordering::Release);
        numbers.ended.store(0, Ordering::Release);
        for bell in [&numbers.taken, &numbers.bell] {
            bell.set(0);
        }
        numbers.in_flight.store(0, Ordering::Release);
        numbers.mutates.store(false, Ordering::Release);
        for copy in [&numbers.snapshot, &numbers.retired] {
            copy.store(0, Ordering::Release);
        }
        numbers.killer.store(killer, Ordering::Release);
    }
}

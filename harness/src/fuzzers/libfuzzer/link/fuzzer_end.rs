//! What the fuzzer does with the link.

use std::sync::atomic::Ordering;
use std::time::Duration;

use dwindle_corpus::BugId;
use dwindle_engine::internals::mutation::Word;

use super::Link;
use crate::execution::Rejections;
use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::isolation::shared::Area;
use crate::session::tally::HitCounters;

impl Link {
    /// Publishes that the target is about to run on this input.
    #[inline]
    pub(crate) fn begin(self, input: &[u8]) {
        // SAFETY: the supervisor reads the area only when this process is dead.
        unsafe { self.shared.put(Area::Request, input) };
        self.numbers().in_flight.store((input.len() as u64).wrapping_add(1), Ordering::Release);
    }

    /// How many constants the supervisor has given.
    pub(crate) fn constants(self) -> u32 {
        self.numbers().constants_known.load(Ordering::Acquire)
    }

    /// One of these constants.
    pub(crate) fn constant(self, index: u32) -> u16 {
        self.numbers().constants[index as usize].load(Ordering::Relaxed)
    }

    /// How many words the supervisor has given.
    pub(crate) fn words(self) -> u32 {
        self.numbers().words_known.load(Ordering::Acquire)
    }

    /// One of these words.
    pub(crate) fn word(self, index: u32) -> Option<Word> {
        let place = &self.numbers().words[index as usize];
        Word::from_numbers([place[0].load(Ordering::Relaxed), place[1].load(Ordering::Relaxed)])
    }

    /// Counts one more random case of this run, unless there were this many.
    pub(crate) fn plans_random_case(self, max: u32) -> bool {
        let planned = &self.numbers().random_cases;
        planned.load(Ordering::Relaxed) < max && planned.fetch_add(1, Ordering::Relaxed) < max
    }

    /// Publishes that the target is about to run on a random case, in place of libFuzzer's input.
    pub(crate) fn begin_random_case(self, input: &[u8]) {
        // SAFETY: the supervisor reads the area only when this process is dead.
        unsafe { self.shared.put(Area::Drawn, input) };
        self.numbers().runs_random_case.store(true, Ordering::Release);
        // No input is empty. The first choice takes the place of this byte.
        self.begin(&[0]);
    }

    /// Publishes the bytes of a choice of the random case.
    pub(crate) fn draws(self, bytes: &[u8], is_first: bool) {
        if is_first {
            self.shared.clear(Area::Request);
        }
        // SAFETY: the rules are those of `begin`.
        unsafe { self.shared.extend(Area::Request, bytes) };
    }

    /// Publishes that the random case has ended.
    pub(crate) fn end_random_case(self, executions: u64) {
        self.end(executions);
        self.numbers().runs_random_case.store(false, Ordering::Release);
    }

    /// Publishes that the target has returned.
    #[inline]
    pub(crate) fn end(self, executions: u64) {
        self.numbers().in_flight.store(0, Ordering::Release);
        self.numbers().executions.store(executions, Ordering::Release);
    }

    /// Publishes how many edges are covered. The supervisor compares it with what it knows: a
    /// comparison here would be traced in each execution.
    #[inline]
    pub(crate) fn covers(self, edges: usize) {
        self.numbers().covered.store(edges as u64, Ordering::Relaxed);
    }

    /// Publishes whether the target's own mutator runs.
    pub(crate) fn mutates(self, mutates: bool) {
        self.numbers().mutates.store(mutates, Ordering::Release);
    }

    /// Publishes that equal bytes became different choices in two runs.
    pub(crate) fn has_unsteady_choices(self) {
        self.numbers().unsteady.store(true, Ordering::Relaxed);
    }

    /// Publishes a new snapshot, the number of executions when it was made, and its cost. The
    /// snapshot before it retires.
    pub(crate) fn stands_by(self, snapshot: libc::pid_t, executions: u64, cost: Duration) {
        let numbers = self.numbers();
        numbers.retired.store(numbers.snapshot.load(Ordering::Acquire), Ordering::Release);
        numbers.cost_of_snapshot.store(cost.as_nanos() as u64, Ordering::Release);
        numbers.cost_of_snapshots.fetch_add(cost.as_nanos() as u64, Ordering::AcqRel);
        numbers.snapshot_at.store(executions, Ordering::Release);
        numbers.snapshot.store(snapshot, Ordering::Release);
    }

    /// After how many executions the fuzzer makes a new snapshot of itself.
    #[inline]
    pub(crate) fn snapshot_after(self) -> u64 {
        self.numbers().snapshot_after.load(Ordering::Relaxed)
    }

    /// Waits until the supervisor lets this snapshot continue.
    pub(crate) fn wait_for_turn(self) {
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
    pub(crate) fn crashing_input(self) -> Option<Vec<u8>> {
        self.numbers().has_crashed.load(Ordering::Acquire).then(|| self.last())
    }

    /// Counts executions that the fuzzer will make again.
    pub(crate) fn repeats(self, executions: u64) {
        self.numbers().repeated.fetch_add(executions, Ordering::AcqRel);
    }

    pub(crate) fn skipped(self) {
        self.numbers().skipped.fetch_add(1, Ordering::AcqRel);
    }

    /// Reports a failure to the supervisor: one that is new to this fuzzer, or the call path of a
    /// known one.
    ///
    /// Waits until the supervisor has taken the report. Returns the index of the bug among the
    /// run's bugs.
    pub(crate) fn report(self, input: &[u8], failed: &Failed) -> usize {
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
    pub(crate) fn report_misuse(self, misuse: &Misuse) {
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
    pub(crate) fn known(self, id: BugId) -> Option<usize> {
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
    pub(crate) fn report_death(self, input: &[u8], has_record: bool, status: libc::c_int) {
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
    pub(crate) fn wait_until_taken(self) {
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
    pub(crate) fn prescreens(self) -> bool {
        self.numbers().prescreens.load(Ordering::Relaxed)
    }

    /// Counts an input that was run in a worker first.
    pub(crate) fn count_prescreened(self, died: bool, took: Duration) {
        let numbers = self.numbers();
        let (count, time) = if died {
            (&numbers.killed, &numbers.killing)
        } else {
            (&numbers.survived, &numbers.surviving)
        };
        count.fetch_add(1, Ordering::AcqRel);
        time.fetch_add(took.as_nanos() as u64, Ordering::AcqRel);
    }

    /// The hits of the run's bugs.
    pub(crate) fn hits(self) -> &'static HitCounters {
        &self.numbers().hits
    }

    /// The counters of rejected inputs.
    pub(crate) fn rejections(self) -> &'static Rejections {
        &self.numbers().rejections
    }

    /// Publishes that the fuzzer ends by itself, and wakes the supervisor for it.
    pub(crate) fn leave(self, code: i32) {
        let numbers = self.numbers();
        numbers.ended.store(u64::from(code as u32) + 1, Ordering::Release);
        numbers.bell.set(numbers.reported.load(Ordering::Acquire) + 1);
    }
}

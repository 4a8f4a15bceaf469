//! What the supervisor does with the link.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dwindle_corpus::BugId;
use dwindle_engine::internals::mutation::Word;

use super::{FuzzerReport, Link};
use crate::failure::deaths::Death;
use crate::failure::misuse::Misuse;
use crate::isolation::death;
use crate::isolation::shared::Area;
use crate::isolation::wire::Reader;

/// How long a process takes to end.
const MOMENT: Duration = Duration::from_micros(200);

impl Link {
    /// Waits up to `patience` for a report. If the fuzzer has already written its record or its
    /// exit code, waits only a moment for its end.
    pub(crate) fn wait(self, patience: Duration) {
        let numbers = self.numbers();
        if self.is_about_to_end() {
            std::thread::sleep(MOMENT);
        } else {
            numbers.bell.wait(numbers.taken.get(), Some(patience));
        }
    }

    fn is_about_to_end(self) -> bool {
        let numbers = self.numbers();
        numbers.bell.get() > numbers.reported.load(Ordering::Acquire)
    }

    /// The waiting report, if there is one, and its input.
    pub(crate) fn waiting(self, manifest_dir: &Path) -> Option<(FuzzerReport, Vec<u8>)> {
        let numbers = self.numbers();
        if numbers.reported.load(Ordering::Acquire) == numbers.taken.get() {
            return None;
        }
        let answer = self.shared.read(Area::Answer);
        let mut reader = Reader::new(&answer);
        if numbers.reported_misuse.load(Ordering::Acquire) {
            return Some((FuzzerReport::Misuse(Misuse(reader.text()?)), Vec::new()));
        }
        if numbers.reported_death.load(Ordering::Acquire) {
            let death = FuzzerReport::Death {
                has_record: numbers.has_record.load(Ordering::Acquire),
                status: numbers.status.load(Ordering::Acquire),
            };
            return Some((death, reader.string()?.to_vec()));
        }
        Some((FuzzerReport::Failure(reader.failed(manifest_dir)?), reader.string()?.to_vec()))
    }

    /// Publishes to the fuzzers that this id belongs to the bug at `index` among the run's bugs.
    pub(crate) fn add(self, id: BugId, index: usize) {
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
    pub(crate) fn take(self, index: usize) {
        let numbers = self.numbers();
        numbers.index.store(index as u32, Ordering::Release);
        numbers.taken.set(numbers.reported.load(Ordering::Acquire));
    }

    pub(crate) fn executions(self) -> u64 {
        self.numbers().executions.load(Ordering::Acquire)
    }

    pub(crate) fn repeated(self) -> u64 {
        self.numbers().repeated.load(Ordering::Acquire)
    }

    /// The waiting snapshot and its cost.
    pub(crate) fn snapshot(self) -> Option<(libc::pid_t, Duration)> {
        let numbers = self.numbers();
        let snapshot = numbers.snapshot.load(Ordering::Acquire);
        (snapshot != 0).then(|| {
            (snapshot, Duration::from_nanos(numbers.cost_of_snapshot.load(Ordering::Acquire)))
        })
    }

    /// How many edges the fuzzer has covered. A new fuzzer counts anew.
    pub(crate) fn covered(self) -> u64 {
        self.numbers().covered.load(Ordering::Relaxed)
    }

    /// Whether equal bytes became different choices in two runs. The fuzzer asks too.
    pub(crate) fn choices_are_unsteady(self) -> bool {
        self.numbers().unsteady.load(Ordering::Relaxed)
    }

    /// Whether the fuzzer was in the target's own mutator when it died.
    pub(crate) fn was_mutating(self) -> bool {
        self.numbers().mutates.load(Ordering::Acquire)
    }

    /// Whether the waiting snapshot has run the last input as well. libFuzzer runs an input twice
    /// before it looks for leaks.
    pub(crate) fn snapshot_ran_the_last(self) -> bool {
        self.numbers().snapshot_at.load(Ordering::Acquire) + 2 > self.executions()
    }

    /// The cost of all snapshots.
    pub(crate) fn cost_of_snapshots(self) -> Duration {
        Duration::from_nanos(self.numbers().cost_of_snapshots.load(Ordering::Acquire))
    }

    /// The snapshot that the last one has replaced.
    pub(crate) fn retired(self) -> libc::pid_t {
        self.numbers().retired.load(Ordering::Acquire)
    }

    /// Makes the fuzzer take a new snapshot of itself after this number of executions.
    pub(crate) fn want_snapshots(self, after: u64) {
        self.numbers().snapshot_after.store(after, Ordering::Relaxed);
    }

    /// Lets a snapshot continue in place of the fuzzer that died.
    pub(crate) fn wake(self, snapshot: libc::pid_t) {
        self.numbers().turn.set(snapshot as u32);
    }

    /// Sets whether the fuzzer runs inputs in a worker first.
    pub(crate) fn prescreen(self, on: bool) {
        self.numbers().prescreens.store(on, Ordering::Relaxed);
    }

    /// How many inputs a worker survived, and how long that took.
    pub(crate) fn survived(self) -> (u64, Duration) {
        let numbers = self.numbers();
        (
            numbers.survived.load(Ordering::Acquire),
            Duration::from_nanos(numbers.surviving.load(Ordering::Acquire)),
        )
    }

    /// How many inputs killed a worker, and how long that took.
    pub(crate) fn killed(self) -> (u64, Duration) {
        let numbers = self.numbers();
        (
            numbers.killed.load(Ordering::Acquire),
            Duration::from_nanos(numbers.killing.load(Ordering::Acquire)),
        )
    }

    pub(crate) fn skips(self) -> u64 {
        self.numbers().skipped.load(Ordering::Acquire)
    }

    /// The exit code, if the fuzzer ended by itself.
    pub(crate) fn ended(self) -> Option<i32> {
        self.numbers().ended.load(Ordering::Acquire).checked_sub(1).map(|code| code as i32)
    }

    /// The input on which the fuzzer died.
    pub(crate) fn in_flight(self) -> Option<Vec<u8>> {
        self.numbers().in_flight.load(Ordering::Acquire).checked_sub(1)?;
        Some(self.last())
    }

    /// Gives the fuzzer constants, at most [`CONSTANTS_MAX`](super::CONSTANTS_MAX).
    pub(crate) fn give_constants(self, constants: &[u16]) {
        let numbers = self.numbers();
        for (place, constant) in numbers.constants.iter().zip(constants) {
            place.store(*constant, Ordering::Relaxed);
        }
        let count = constants.len().min(numbers.constants.len());
        numbers.constants_known.store(count as u32, Ordering::Release);
    }

    /// Gives the fuzzer words, at most [`WORDS_MAX`](super::WORDS_MAX).
    pub(crate) fn give_words(self, words: &[Word]) {
        let numbers = self.numbers();
        for (place, word) in numbers.words.iter().zip(words) {
            let [low, high] = word.to_numbers();
            place[0].store(low, Ordering::Relaxed);
            place[1].store(high, Ordering::Relaxed);
        }
        let count = words.len().min(numbers.words.len());
        numbers.words_known.store(count as u32, Ordering::Release);
    }

    /// libFuzzer's input, if the fuzzer died in a random case which ran in its place.
    pub(crate) fn replaced_by_random_case(self) -> Option<Vec<u8>> {
        let runs = self.numbers().runs_random_case.load(Ordering::Acquire);
        runs.then(|| self.shared.read(Area::Drawn))
    }

    /// The input that the target ran on last.
    pub(crate) fn last(self) -> Vec<u8> {
        self.shared.read(Area::Request)
    }

    /// The record that the fuzzer wrote before it died, if it wrote one.
    pub(crate) fn record(self) -> Option<Death> {
        if !self.is_about_to_end() {
            return None;
        }
        death::read(self.shared)
    }

    /// Prepares the link for a new fuzzer. The counts, the known ids and the settings stay.
    /// `has_crashed`: the last input killed the fuzzer before.
    pub(crate) fn reset(self, has_crashed: bool) {
        let numbers = self.numbers();
        numbers.reported.store(0, Ordering::Release);
        numbers.ended.store(0, Ordering::Release);
        for bell in [&numbers.taken, &numbers.bell] {
            bell.set(0);
        }
        numbers.in_flight.store(0, Ordering::Release);
        numbers.runs_random_case.store(false, Ordering::Release);
        numbers.mutates.store(false, Ordering::Release);
        for copy in [&numbers.snapshot, &numbers.retired] {
            copy.store(0, Ordering::Release);
        }
        numbers.has_crashed.store(has_crashed, Ordering::Release);
    }
}

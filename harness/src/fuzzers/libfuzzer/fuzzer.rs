//! The process that fuzzes: it runs the target, tells its supervisor what failed, and may die at any time.

use std::time::Instant;

use dwindle_corpus::BugId;
use dwindle_engine::TestCase;

use super::coverage::Counters;
use super::known_crashes::KnownCrashes;
use super::link::Link;
use super::scores;
use super::snapshot::{Snapshot, Who};
use super::supervisor::Start;
use crate::execution::{InProcess, Run};
use crate::failure::failed::Failed;
use crate::failure::panics;
use crate::failure::variants::is_looked_at;
use crate::isolation::drawn::Keys;
use crate::isolation::{Prescreen, Prescreened, death};
use crate::system::process;

/// What runs the target in the fuzzing process.
pub(super) struct Fuzzer {
    executor: InProcess<fn(&mut TestCase)>,
    link: Link,
    known_crashes: KnownCrashes,
    snapshot: Snapshot,
    /// None if there can be none.
    prescreen: Option<Prescreen>,
    /// In this run, by all fuzzers.
    executions: u64,
    /// When the last copy was made.
    snapshot_at: u64,
    /// How many executions the run may have. libFuzzer looks to that, but a copy of it has not counted those of the one that died.
    runs: Option<u64>,
    /// Whether the target has run in this process.
    has_begun: bool,
    is_copy: bool,
    counters: Counters,
}

impl Fuzzer {
    pub(super) fn new(mut executor: InProcess<fn(&mut TestCase)>, start: Start, counters: Counters) -> Fuzzer {
        executor.tc.tell_scores(scores::tell);
        executor.tc.follow(Keys);
        let Start { link, known_crashes, supervisor, runs, prescreen, .. } = start;
        let executions = link.executions();
        Fuzzer {
            executor,
            link,
            known_crashes,
            snapshot: Snapshot::new(supervisor),
            prescreen,
            executions,
            snapshot_at: executions,
            runs,
            has_begun: false,
            is_copy: false,
            counters,
        }
    }

    /// One execution; whether libFuzzer may keep the input.
    #[inline]
    pub(super) fn execute(&mut self, input: &[u8]) -> bool {
        let is_first = !self.has_begun;
        if is_first {
            // Not before libFuzzer has its own handlers in place: the last who comes is asked first.
            death::record_in(self.link.shared, &self.link.numbers().bell, || {});
            self.has_begun = true;
        }
        self.counters.begin();
        let passed = self.run(input);
        self.counters.end(passed);
        // A corpus may kill the fuzzer while it is read.
        if is_first || self.executions.wrapping_sub(self.snapshot_at) >= self.link.copy_after() {
            self.copy();
        }
        if self.is_copy && self.runs.is_some_and(|runs| self.executions >= runs) {
            process::ask_to_end();
        }
        passed
    }

    /// Between two executions, when the target has made the next input itself.
    pub(super) fn has_mutated(&self) {
        self.counters.forget();
    }

    #[inline]
    fn run(&mut self, input: &[u8]) -> bool {
        // Wrapping, here and above: libFuzzer hears of each check of an overflow as of any other comparison.
        self.executions = self.executions.wrapping_add(1);
        if self.known_crashes.contains(input) {
            self.link.skipped();
            self.link.end(self.executions);
            return false;
        }
        self.link.begin(input);
        if self.link.screens() && !self.is_worth_running(input) {
            self.link.end(self.executions);
            return false;
        }
        let executor = &mut self.executor;
        let run = death::watched(|| executor.run_bytes(input));
        self.link.end(self.executions);
        if matches!(run, Run::Passed) {
            return true;
        }
        match &run {
            Run::Failed(failed) => self.failed(input, failed),
            Run::Misused(misuse) => self.link.report_misuse(misuse),
            Run::Overrun | Run::Rejected | Run::Passed => {}
        }
        false
    }

    /// Whether the input is to be run here as well as in a worker: the worker has survived it, and it is news. Of others libFuzzer would keep nothing.
    #[cold]
    fn is_worth_running(&mut self, input: &[u8]) -> bool {
        let began = Instant::now();
        self.link.wait_until_taken();
        let screened = self.prescreen.as_mut().map_or(Prescreened::Unknown, |prescreen| prescreen.run(input));
        match screened {
            Prescreened::Died { has_record, status } => {
                self.known_crashes.insert(input);
                self.link.report_death(input, has_record, status);
                // Part of what a death costs.
                self.prescreen.as_mut().map(Prescreen::is_ready);
            }
            Prescreened::Unknown => self.prescreen = None,
            Prescreened::Rejected | Prescreened::Failed(_) | Prescreened::Survived => {}
        }
        self.link.screened(matches!(screened, Prescreened::Died { .. }), began.elapsed());
        let is_worth_running = match screened {
            Prescreened::Died { .. } | Prescreened::Rejected => false,
            Prescreened::Failed(id) => !self.failed_before(input, id),
            Prescreened::Survived | Prescreened::Unknown => true,
        };
        if is_worth_running {
            // What was done so far is none of the input's doing.
            self.counters.clear();
        }
        is_worth_running
    }

    #[cold]
    fn failed(&mut self, input: &[u8], failed: &Failed) {
        if !self.failed_before(input, failed.id) {
            let index = self.link.report(input, failed);
            self.link.saw(index);
        }
    }

    /// Counts a sighting of a bug that was reported; `false` if it was not.
    fn failed_before(&mut self, input: &[u8], id: BugId) -> bool {
        let Some(index) = self.link.known(id) else { return false };
        if self.link.saw(index).is_some_and(is_looked_at) {
            self.report_way(input);
        }
        true
    }

    /// Tells by which calls a known bug was reached. To find that out takes as long as many executions, so that is done for few of them, see [`is_looked_at`].
    fn report_way(&mut self, input: &[u8]) {
        self.link.begin(input);
        let executor = &mut self.executor;
        let run = panics::with_frames(|| death::watched(|| executor.run_bytes(input)));
        self.link.end(self.executions);
        if let Run::Failed(failed) = run
            && self.link.known(failed.id).is_some()
        {
            self.link.report(input, &failed);
        }
    }

    /// Makes a copy that stands by; and one of the copy, once that has to go on. Between two executions, so that libFuzzer takes the time it slept for no slow input.
    #[cold]
    #[inline(never)]
    fn copy(&mut self) {
        let mut counters = std::mem::take(&mut self.counters);
        counters.unseen(|_| self.renew_copy());
        self.counters = counters;
    }

    fn renew_copy(&mut self) {
        self.snapshot_at = self.executions;
        while self.snapshot.renew(self.link, self.executions) == Who::Copy {
            let executions = self.link.executions();
            self.link.repeats(executions - self.executions);
            self.executions = executions;
            self.snapshot_at = executions;
            if let Some(killer) = self.link.killer() {
                self.known_crashes.insert(&killer);
            }
            self.is_copy = true;
        }
    }

    pub(super) fn link(&self) -> Link {
        self.link
    }
}

//! The fuzzer: this process runs the target and reports failures to its supervisor. The target may
//! kill it at any time.

use std::ffi::c_uint;
use std::time::Instant;

use dwindle_corpus::BugId;
use dwindle_engine::TestCase;
use dwindle_engine::internals::Outcome;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::mutation::Parent;

use super::choice_mutations::{ChoiceMutations, Runs};
use super::coverage::Counters;
use super::covered::covered;
use super::huge_pages;
use super::known_crashes::KnownCrashes;
use super::late_files;
use super::link::Link;
use super::random_cases::RandomCases;
use super::scores;
use super::snapshot::{Snapshot, Who};
use super::supervisor::Start;
use crate::environment;
use crate::execution::{InProcess, Run};
use crate::failure::failed::Failed;
use crate::failure::panics;
use crate::failure::variants::is_looked_at;
use crate::isolation::drawn::Keys;
use crate::isolation::{Prescreen, Prescreened, death, traced};
use crate::session::samples::SamplePace;
use crate::system::process;

/// Runs the target in the fuzzing process.
pub(super) struct Fuzzer {
    executor: InProcess<fn(&mut TestCase)>,
    link: Link,
    known_crashes: KnownCrashes,
    snapshot: Snapshot,
    /// `None` if this process cannot prescreen inputs.
    prescreen: Option<Prescreen>,
    /// How many executions all fuzzers of this run have made.
    executions: u64,
    /// The number of executions when the last snapshot was made.
    snapshot_at: u64,
    /// How many executions the run may have. libFuzzer enforces this limit, but a snapshot has not
    /// counted the executions of the fuzzer that died.
    runs: Option<u64>,
    /// Whether the target has run in this process.
    has_begun: bool,
    is_from_snapshot: bool,
    counters: Counters,
    /// `None` if libFuzzer makes all mutations, and while a mutation is being made.
    choice_mutations: Option<Box<ChoiceMutations>>,
    random_cases: RandomCases,
    /// How many inputs were run twice, to compare their choices.
    compared: u32,
    /// Which failures of known bugs the session gets.
    samples: SamplePace,
}

/// How many inputs are run twice, to compare their choices.
const COMPARED: u32 = 8;

impl Fuzzer {
    pub(super) fn new(
        mut executor: InProcess<fn(&mut TestCase)>,
        start: Start,
        counters: Counters,
    ) -> Fuzzer {
        executor.driver.tell_scores(scores::tell);
        executor.driver.follow(Keys);
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
            is_from_snapshot: false,
            counters,
            choice_mutations: None,
            random_cases: RandomCases::new(link),
            compared: 0,
            samples: SamplePace::new(environment::explains()),
        }
    }

    /// Runs one execution. Returns whether libFuzzer may keep the input.
    #[inline]
    pub(super) fn execute(&mut self, input: &[u8]) -> bool {
        let is_first = !self.has_begun;
        if is_first {
            huge_pages::tables_are_made();
            // libFuzzer must install its own handlers first, because the system calls the handler
            // that was installed last.
            death::record_in(self.link.shared, &self.link.numbers().bell, || {});
            self.has_begun = true;
        }
        self.link.covers(covered());
        if late_files::were_added() {
            self.counters.clear();
        }
        self.counters.begin();
        let passed =
            if self.random_cases.is_due() { self.run_random(input) } else { self.run(input) };
        if self.counters.end(passed) {
            self.show(input);
        }
        self.counters.looked(passed);
        // Where there are snapshots, the first one comes early, because an input of the corpus may
        // kill the fuzzer while libFuzzer reads the corpus.
        let snapshot_after = self.link.snapshot_after().max(self.snapshot.rest());
        let is_due = self.executions.wrapping_sub(self.snapshot_at) >= snapshot_after;
        if is_due || is_first && snapshot_after < u64::MAX {
            self.take_snapshot();
        }
        if self.is_from_snapshot && self.runs.is_some_and(|runs| self.executions >= runs) {
            process::ask_to_end();
        }
        passed
    }

    /// From now on [`mutate`](Fuzzer::mutate) uses these mutations.
    pub(super) fn mutate_choices(&mut self, mutations: ChoiceMutations) {
        self.choice_mutations = Some(Box::new(mutations));
    }

    /// Makes the next input, see [`ChoiceMutations::mutate`]. Called between two executions.
    pub(super) fn mutate(&mut self, buffer: (&mut [u8], usize, usize), seed: c_uint) -> usize {
        let Some(mut mutations) = self.choice_mutations.take() else {
            return libfuzzer_sys::fuzzer_mutate(buffer.0, buffer.1, buffer.2);
        };
        let size = mutations.mutate(self, buffer, seed);
        self.choice_mutations = Some(mutations);
        self.has_mutated();
        size
    }

    /// Called between two executions, after the target's own mutator has made the next input.
    pub(super) fn has_mutated(&mut self) {
        self.counters.has_mutated();
    }

    #[inline]
    fn run(&mut self, input: &[u8]) -> bool {
        // This addition wraps, here and above: libFuzzer would trace each overflow check as a
        // comparison.
        self.executions = self.executions.wrapping_add(1);
        if self.known_crashes.contains(input) {
            self.link.skipped();
            self.link.end(self.executions);
            return false;
        }
        self.link.begin(input);
        if self.link.prescreens() && !self.is_worth_running(input) {
            self.link.end(self.executions);
            return false;
        }
        let executor = &mut self.executor;
        let run = target_runs(|| executor.run_bytes(input));
        self.link.end(self.executions);
        if matches!(run, Run::Passed) {
            return true;
        }
        match &run {
            Run::Failed(failed) => self.failed(input, failed),
            Run::Misused(misuse) => self.link.report_misuse(misuse),
            Run::Overrun | Run::Rejected => {
                self.link.rejections().count(&run, &self.executor.driver);
            }
            Run::Passed => {}
        }
        false
    }

    /// Runs a random case in place of this input. Returns that libFuzzer must not keep the input.
    #[cold]
    #[inline(never)]
    fn run_random(&mut self, input: &[u8]) -> bool {
        self.executions = self.executions.wrapping_add(1);
        self.link.begin_random_case(input);
        let (cases, executor) = (&mut self.random_cases, &mut self.executor);
        let run = target_runs(|| cases.run(executor));
        self.link.end_random_case(self.executions);
        match &run {
            Run::Passed => {}
            Run::Failed(failed) => {
                let input = encode(&self.executor.driver.trace().choices);
                self.failed(&input, failed);
            }
            Run::Misused(misuse) => self.link.report_misuse(misuse),
            Run::Overrun | Run::Rejected => {
                self.link.rejections().count(&run, &self.executor.driver);
            }
        }
        false
    }

    /// Runs the input in a worker first. Returns whether the fuzzer must run it too.
    ///
    /// The fuzzer runs an input that passed in the worker, or that failed there as a bug which is
    /// new to this run. libFuzzer would keep nothing of other inputs.
    #[cold]
    fn is_worth_running(&mut self, input: &[u8]) -> bool {
        let began = Instant::now();
        self.link.wait_until_taken();
        let prescreened =
            self.prescreen.as_mut().map_or(Prescreened::Unknown, |prescreen| prescreen.run(input));
        match prescreened {
            Prescreened::Died { has_record, status } => {
                self.known_crashes.insert(input);
                self.link.report_death(input, has_record, status);
                // The time until the next worker is ready is part of the cost of a death.
                self.prescreen.as_mut().map(Prescreen::is_ready);
            }
            Prescreened::Unknown => self.prescreen = None,
            Prescreened::Ran(_) => {}
        }
        self.link
            .count_prescreened(matches!(prescreened, Prescreened::Died { .. }), began.elapsed());
        let is_worth_running = match prescreened {
            Prescreened::Died { .. } | Prescreened::Ran(Outcome::Overrun | Outcome::Rejected) => {
                false
            }
            Prescreened::Ran(Outcome::Failed(id)) => !self.failed_before(input, id),
            // The fuzzer runs misuse again, and reports it.
            Prescreened::Unknown | Prescreened::Ran(Outcome::Passed | Outcome::Misused(())) => true,
        };
        if is_worth_running {
            // The edges of the prescreen must not count as coverage of the input.
            self.counters.clear();
        }
        is_worth_running
    }

    #[cold]
    fn failed(&mut self, input: &[u8], failed: &Failed) {
        if self.failed_before(input, failed.id) {
            if self.samples.is_due() {
                self.link.report(input, failed);
            }
        } else {
            let index = self.link.report(input, failed);
            self.link.hits().saw(index);
        }
    }

    /// Counts a hit of a bug that this run has reported. Returns `false` for a bug that it has not
    /// reported.
    fn failed_before(&mut self, input: &[u8], id: BugId) -> bool {
        let Some(index) = self.link.known(id) else { return false };
        if self.link.hits().saw(index).is_some_and(is_looked_at) {
            self.report_call_path(input);
        }
        true
    }

    /// Reports the call path to a known bug. Finding the call path takes as long as many
    /// executions, so the fuzzer does it for few hits, see [`is_looked_at`].
    fn report_call_path(&mut self, input: &[u8]) {
        self.link.begin(input);
        let executor = &mut self.executor;
        let run = panics::with_frames(|| target_runs(|| executor.run_bytes(input)));
        self.link.end(self.executions);
        if let Run::Failed(failed) = run
            && self.link.known(failed.id).is_some()
        {
            self.link.report(input, &failed);
        }
    }

    /// Runs an input that has passed before, beside libFuzzer's executions. Returns whether it
    /// passes. If it fails now, that is a failure like any other.
    fn runs_again(
        &mut self,
        input: &[u8],
        run: impl FnOnce(&mut InProcess<fn(&mut TestCase)>, &[u8]) -> Run,
    ) -> bool {
        self.link.begin(input);
        let executor = &mut self.executor;
        let run = target_runs(|| run(executor, input));
        self.link.end(self.executions);
        if let Run::Failed(failed) = &run {
            self.failed(input, failed);
        }
        matches!(run, Run::Passed)
    }

    /// Gives libFuzzer the counters that this execution was the first to reach.
    #[cold]
    #[inline(never)]
    fn show(&mut self, input: &[u8]) {
        let mut counters = std::mem::take(&mut self.counters);
        counters.unseen(|counters| {
            counters.show(|| {
                self.runs_again(input, InProcess::run_bytes);
            });
        });
        self.counters = counters;
    }

    /// Makes a snapshot. A snapshot that takes over makes the next snapshot first.
    ///
    /// The fuzzer does this between two executions. Otherwise libFuzzer would report the time that
    /// a snapshot slept as a slow input.
    #[cold]
    #[inline(never)]
    fn take_snapshot(&mut self) {
        let mut counters = std::mem::take(&mut self.counters);
        counters.unseen(|_| self.renew_snapshot());
        self.counters = counters;
    }

    fn renew_snapshot(&mut self) {
        self.snapshot_at = self.executions;
        while self.snapshot.renew(self.link, self.executions) == Who::Snapshot {
            let executions = self.link.executions();
            self.link.repeats(executions - self.executions);
            self.executions = executions;
            self.snapshot_at = executions;
            if let Some(input) = self.link.crashing_input() {
                self.known_crashes.insert(&input);
            }
            self.is_from_snapshot = true;
        }
    }

    pub(super) fn link(&self) -> Link {
        self.link
    }
}

impl Runs for Fuzzer {
    fn is_new(&mut self) -> bool {
        self.counters.is_new()
    }

    /// The parts of an input that has passed before. `None` if it has none, or if this target's
    /// choices cannot be mutated: equal bytes become different choices in each run.
    fn record(&mut self, input: &[u8]) -> Option<Parent> {
        if self.link.choices_are_unsteady() || !self.runs_again(input, InProcess::run_recorded) {
            return None;
        }
        let parent = Parent::of(self.executor.driver.trace());
        if self.compared < COMPARED {
            self.compared += 1;
            let values = self.executor.driver.trace().values();
            let passes = self.runs_again(input, InProcess::run_recorded);
            if passes && self.executor.driver.trace().values() != values {
                self.link.has_unsteady_choices();
                return None;
            }
        }
        parent
    }

    fn link(&self) -> Link {
        self.link
    }

    fn plans_random_case(&mut self, seed: c_uint) -> bool {
        // A snapshot makes the mutations of the fuzzer that died again. The executions make its
        // cases different.
        let seed = u64::from(seed) << 32 ^ self.executions;
        !self.link.choices_are_unsteady() && !self.link.prescreens() && self.random_cases.plan(seed)
    }
}

/// Runs the target with comparison tracing, and records a failure that kills the process.
#[inline]
fn target_runs(run: impl FnOnce() -> Run) -> Run {
    traced(|| death::watched(run))
}

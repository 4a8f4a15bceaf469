//! The supervisor: this process outlives the fuzzer and keeps the session. When the target kills
//! the fuzzer, the supervisor names the bug and forks the next fuzzer.
//!
//! The supervisor never runs the target itself and has no second thread, so each fuzzer begins as
//! the first one did.

mod deaths;
mod reports;
mod ending;

use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::SIGUSR1;

use super::arguments::Given;
use super::constants::{LateConstants, is_late};
use super::corpus::{TemporaryCorpus, executions_to_read};
use super::dictionary::DictionaryFile;
use super::huge_pages;
use super::known_crashes::KnownCrashes;
use super::late_files::LateFiles;
use super::link::{FuzzerReport, Link};
use super::memory::Memory;
use super::prescreen::{Costs, PrescreenPolicy};
use super::refuse;
use super::snapshot_pace::SnapshotPace;
use crate::exit::libfuzzer::{FAILED, INTERRUPTED};
use crate::failure::deaths::DeathNames;
use crate::failure::failed::Failed;
use crate::fuzzers::member::Member;
use crate::isolation::{self, Isolated, Prescreen};
use crate::limits::Deadline;
use crate::session::damage::MemoryDamage;
use crate::session::stop_signals::StopSignals;
use crate::session::tally::Tally;
use crate::session::{Hit, Session};
use crate::system::fork;
use crate::system::{children, process};
use crate::target::Target;
use crate::{environment, exit};

/// How often the supervisor looks at its session when nothing happens.
const LOOK: Duration = Duration::from_millis(50);
/// The same until the fuzzer after a death has run something.
const SHORT_LOOK: Duration = Duration::from_millis(2);
/// Maximum number of fuzzers in a row that may die before they have run anything.
const STILLBORN_MAX: u32 = 5;
/// What a user learns of choices that equal bytes do not repeat.
const UNSTEADY: &str = "equal bytes become different choices in each run, so that only bytes are \
                        mutated, and bugs may not repeat; draw the same values in each run: let \
                        nothing but earlier draws decide what is drawn";

/// The state with which a fuzzer begins.
pub(super) struct Start {
    pub(super) link: Link,
    pub(super) known_crashes: KnownCrashes,
    pub(super) prescreen: Option<Prescreen>,
    pub(super) supervisor: libc::pid_t,
    /// How many executions the run may have.
    pub(super) runs: Option<u64>,
    /// Arguments that libFuzzer gets after those of the user.
    pub(super) arguments: Vec<String>,
}

/// The supervisor's data in a fuzzer, which the fuzzer never uses. `#[used]` keeps the compiler
/// from removing the store to this variable.
#[used]
static LEFT_ALONE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

struct Supervisor<'a> {
    target: &'static Target,
    given: &'a Given,
    session: Session,
    link: Link,
    tally: Tally,
    /// Runs inputs again, for example after a death without a record.
    executor: Option<Isolated>,
    known_crashes: KnownCrashes,
    /// `None` once the fuzzer has ended, because the system may give its process id to another
    /// process.
    fuzzer: Option<libc::pid_t>,
    /// Names of earlier failures. They are kept because finding the names of frames takes long.
    names: DeathNames,
    damage: MemoryDamage,
    /// Whether the fuzzer was ended because its memory is damaged.
    is_replaced: bool,
    started: Instant,
    /// How many fuzzers died, and how long the next ones took in total to run something.
    deaths: (u64, Duration),
    /// The number of executions when this fuzzer began.
    before: u64,
    /// When the previous fuzzer died. `None` once this fuzzer has run something.
    died: Option<Instant>,
    /// How many fuzzers in a row died before they had run anything.
    stillborn: u32,
    snapshot_pace: SnapshotPace,
    prescreen: Option<Prescreen>,
    screening: PrescreenPolicy,
    memory: Memory,
    memory_of_worker: Memory,
    stop_at_first: bool,
    signals: StopSignals,
    /// Set if this process is one of several fuzzers of a run.
    member: Option<Member>,
    /// Whether the fuzzer was asked to end because its time is up.
    is_timed_out: bool,
    corpus: Option<TemporaryCorpus>,
    /// `None` if the fuzzer writes its files itself.
    late_files: Option<LateFiles>,
    /// How many executions read the corpus.
    reading: u64,
    dictionary: Option<DictionaryFile>,
    constants: LateConstants,
}

/// Keeps the session of a run. Returns in each forked fuzzer, which then fuzzes. The supervisor
/// itself never returns.
pub(super) fn supervise(target: &'static Target, given: &Given, session: Session) -> Start {
    isolation::assert_may_fuzz();
    isolation::only_ask();
    let mut supervisor = Supervisor::new(target, given, session);
    children::adopt_orphans();
    loop {
        let id = process::id();
        match fork::fork() {
            Ok(0) => {
                process::die_with(id);
                process::leave_signals_to_the_parent();
                isolation::fuzz();
                return supervisor.into_start(id);
            }
            Ok(fuzzer) => {
                let mut next = Some(fuzzer);
                while let Some(fuzzer) = next {
                    supervisor.fuzzer = Some(fuzzer);
                    let status = supervisor.watch();
                    next = supervisor.bury(status);
                }
            }
            Err(error) => supervisor.give_up(&format!("cannot start the fuzzer: {error}")),
        }
    }
}

impl<'a> Supervisor<'a> {
    /// Ends the process if it cannot supervise a fuzzer.
    fn new(target: &'static Target, given: &'a Given, mut session: Session) -> Supervisor<'a> {
        let member = Member::of_this_process();
        session.end_by(Deadline::after(given.max_total_time));
        if member.is_some() {
            session.leave_minimizing_to_another();
        }
        let link = Link::new().unwrap_or_else(|error| {
            refuse(exit::ENVIRONMENT, &format!("cannot share memory with the fuzzer: {error}"))
        });
        let signals = StopSignals::handle(INTERRUPTED)
            .unwrap_or_else(|message| refuse(exit::ENVIRONMENT, &message));
        let knows_damage = session.knows_damage();
        let corpus = given.inputs.is_empty().then(TemporaryCorpus::new).flatten();
        let output = given.inputs.first().cloned();
        let output = output.or_else(|| corpus.as_ref().map(TemporaryCorpus::argument));
        Supervisor {
            target,
            given,
            session,
            link,
            tally: Tally::default(),
            executor: None,
            known_crashes: KnownCrashes::new(),
            fuzzer: None,
            names: DeathNames::default(),
            damage: MemoryDamage::new(knows_damage),
            is_replaced: false,
            started: Instant::now(),
            deaths: (0, Duration::ZERO),
            before: 0,
            died: None,
            stillborn: 0,
            snapshot_pace: SnapshotPace::new(link),
            prescreen: Prescreen::new(target, environment::choices_max()).ok(),
            screening: PrescreenPolicy::new(link),
            memory: Memory::new(given.rss_limit()),
            memory_of_worker: Memory::new(given.rss_limit()),
            stop_at_first: environment::stop_at_first(),
            signals,
            member,
            is_timed_out: false,
            dictionary: if is_late(target, given) {
                None
            } else {
                DictionaryFile::of_run(target, given)
            },
            constants: LateConstants::new(target, given, link),
            reading: executions_to_read(&given.inputs),
            late_files: output.and_then(|folder| LateFiles::of(folder.into())),
            corpus,
        }
    }

    /// Makes the state with which the fuzzer begins, in the fuzzer's process. `supervisor` is the
    /// process id of the supervisor.
    fn into_start(mut self, supervisor: libc::pid_t) -> Start {
        let (link, runs) = (self.link, self.given.runs);
        let arguments = self.arguments();
        if let Some(files) = &self.late_files {
            files.begin();
        }
        huge_pages::prepare();
        let prescreen = self.prescreen.clone();
        let known_crashes = std::mem::replace(&mut self.known_crashes, KnownCrashes::new());
        // Only the supervisor may end the session, so the fuzzer must never drop it. The pointer
        // keeps the memory reachable, so a leak checker reports no leak.
        LEFT_ALONE.store(Box::into_raw(Box::new(self)).cast(), Ordering::Release);
        Start { link, known_crashes, prescreen, supervisor, runs, arguments }
    }
}

impl Supervisor<'_> {
    /// The arguments for the next fuzzer: the remaining time and runs, its seed, the dictionary and
    /// the temporary corpus. libFuzzer uses the last value of a flag that appears twice.
    fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if self.deaths.0 > 0 {
            if let Some(seconds) = self.given.max_total_time.filter(|seconds| *seconds > 0) {
                arguments.push(format!(
                    "-max_total_time={}",
                    seconds.saturating_sub(self.started.elapsed().as_secs()).max(1)
                ));
            }
            if let Some(runs) = self.given.runs {
                arguments.push(format!("-runs={}", runs.saturating_sub(self.before)));
            }
            if let Some(seed) = self.given.seed.filter(|seed| *seed != 0) {
                arguments.push(format!("-seed={}", (u64::from(seed) + self.deaths.0) as u32));
            }
        }
        arguments.extend(self.dictionary.iter().map(DictionaryFile::argument));
        arguments.extend(self.corpus.iter().map(TemporaryCorpus::argument));
        arguments
    }

    /// Serves the fuzzer until it ends, and returns its exit status.
    fn watch(&mut self) -> libc::c_int {
        loop {
            let look = if self.died.is_some() { SHORT_LOOK } else { LOOK };
            self.link.wait(self.constants.wait_at_most(look));
            if self.link.executions() > self.before
                && let Some(died) = self.died.take()
            {
                self.deaths.1 += died.elapsed();
            }
            if self.signals.is_interrupted() {
                self.interrupt();
            }
            if self.signals.take_request_to_end()
                && let Some(fuzzer) = self.fuzzer
            {
                children::signal(fuzzer, SIGUSR1);
            }
            self.look_at_the_time();
            self.look_at_the_others();
            self.look_at_costs();
            self.memory.look(self.fuzzer.unwrap_or(0));
            self.memory_of_worker.look(self.prescreen.as_ref().map_or(0, Prescreen::worker));
            self.reap_orphans();
            let status = self.fuzzer.and_then(children::try_wait);
            self.take_report();
            self.count();
            let polled = self.session.poll();
            self.or_refuse(polled);
            self.late_files.as_mut().map(LateFiles::look);
            self.constants.look();
            if let Some(status) = status {
                self.late_files.as_mut().map(LateFiles::write_all);
                self.fuzzer = None;
                return status;
            }
        }
    }

    /// Asks the fuzzer to end when its time is up. libFuzzer then ends between two executions. If
    /// an execution takes longer, the supervisor stops it and ends the run.
    fn look_at_the_time(&mut self) {
        let deadline = self.session.deadline();
        if deadline.ends_fuzzing() {
            if self.link.in_flight().is_some() {
                self.session.remark(
                    "the time was up while the target ran on an input; dwindle stopped this \
                     execution"
                        .to_owned(),
                );
            }
            self.take_report();
            self.finish(0);
        }
        if deadline.asks_for_the_end()
            && !std::mem::replace(&mut self.is_timed_out, true)
            && let Some(fuzzer) = self.fuzzer
        {
            children::signal(fuzzer, SIGUSR1);
        }
    }

    /// Ends this run if the process that keeps the session of several fuzzers has ended.
    fn look_at_the_others(&mut self) {
        let executions = self.link.executions();
        if self.member.as_mut().is_some_and(|member| !member.publish_when_due(executions)) {
            self.interrupt();
        }
    }

    /// Decides how often the fuzzer makes a snapshot, and whether a worker runs inputs first.
    fn look_at_costs(&mut self) {
        let (killed, survived) = (self.link.killed().1, self.link.survived().1);
        let elapsed = self.started.elapsed().saturating_sub(self.deaths.1 + killed);
        self.snapshot_pace.look(elapsed, self.deaths.0);
        let execution = elapsed
            .saturating_sub(survived + self.link.cost_of_snapshots())
            .div_f64(self.link.executions().max(1) as f64);
        let lost = self.deaths.1
            + self.link.cost_of_snapshots()
            + execution.mul_f64(self.link.repeated() as f64);
        if self.prescreen.as_ref().is_some_and(Prescreen::is_alive) {
            self.screening.look(Costs { deaths: self.deaths.0, lost, execution });
        } else {
            self.prescreen = None;
            self.link.prescreen(false);
        }
    }

    /// Waits for ended processes that the target and the minimizers left behind. The supervisor has
    /// adopted them.
    fn reap_orphans(&self) {
        let fork_server = self.executor.as_ref().map(Isolated::fork_server);
        let wanted: Vec<libc::pid_t> =
            self.session.helpers().chain(self.fuzzer).chain(fork_server).collect();
        children::reap_children(|child| !wanted.contains(&child));
    }

    fn take_report(&mut self) {
        let Some((report, input)) = self.link.waiting(self.target.manifest_dir()) else { return };
        let index = match report {
            FuzzerReport::Misuse(misuse) => self.misused(&misuse),
            FuzzerReport::Failure(failed) => self.reported(&input, failed),
            FuzzerReport::Death { has_record, status } => {
                self.worker_died(&input, has_record, status);
                0
            }
        };
        self.link.take(index);
    }

    fn saw(&mut self, input: &[u8], failed: &Failed) {
        match self.session.saw(input, failed) {
            Ok(hit) => self.stop_if_asked(hit),
            Err(error) => {
                let text = self.session.rescue(input, &error);
                self.give_up(&text)
            }
        }
    }

    /// Ends the run at the first new bug, if the user asked for that.
    fn stop_if_asked(&mut self, hit: Hit) {
        if hit == Hit::New && self.stop_at_first {
            self.count();
            self.end_fuzzer();
            if self.given.final_stats {
                eprintln!("stat::number_of_executed_units: {}", self.session.executions);
            }
            self.finish(FAILED)
        }
    }

    fn look_for_variant(&mut self, input: &[u8], failed: &Failed) {
        let looked = self.session.look_for_variant(input, failed);
        self.or_refuse(looked);
    }

    /// Updates the counts of the session.
    fn count(&mut self) {
        self.session.executions = self.link.executions();
        let (killed, killing) = self.link.killed();
        self.session.restarts = (self.deaths.0 + killed, self.deaths.1 + killing);
        let link = self.link;
        if self.member.is_none() {
            let is_fuzzing = self.session.executions > self.reading;
            self.session.outlook.look(link.covered(), is_fuzzing);
            self.session.rejected = Some(link.rejections().figures());
        }
        if link.choices_are_unsteady() {
            self.session.warn_once(UNSTEADY);
        }
        if let Err(text) = self.tally.count(&mut self.session, link.hits()) {
            self.give_up(&text)
        }
    }
}

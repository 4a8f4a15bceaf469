//! The supervisor: this process outlives the fuzzer and keeps the session. When the target kills
//! the fuzzer, the supervisor names the bug and forks the next fuzzer.
//!
//! The supervisor never runs the target itself and has no second thread, so each fuzzer begins as
//! the first one did.

mod deaths;
mod reports;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};

use dwindle_corpus::StoreError;
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::flag;

use super::arguments::Given;
use super::corpus::TemporaryCorpus;
use super::dictionary::Dictionary;
use super::known_crashes::KnownCrashes;
use super::link::{Link, Report};
use super::member::Member;
use super::memory::Memory;
use super::prescreen::{Costs, PrescreenPolicy};
use super::refuse;
use super::snapshot_pace::SnapshotPace;
use crate::exit::libfuzzer::{FAILED, INTERRUPTED};
use crate::failure::deaths::Names;
use crate::failure::failed::Failed;
use crate::isolation::{self, Isolated, Prescreen};
use crate::limits::Deadline;
use crate::session::damage::Damage;
use crate::session::tally::Tally;
use crate::session::{Hit, Session};
use crate::system::fork;
use crate::system::{children, offspring, process};
use crate::target::Target;
use crate::{environment, events, exit};

/// How often the supervisor looks at its session when nothing happens.
const LOOK: Duration = Duration::from_millis(50);
/// The same while a new fuzzer is starting.
const SHORT_LOOK: Duration = Duration::from_millis(2);
/// Maximum number of fuzzers in a row that may die before they have run anything.
const STILLBORN_MAX: u32 = 5;

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
    names: Names,
    damage: Damage,
    /// Whether the fuzzer was ended because its memory is damaged.
    is_replaced: bool,
    started: Instant,
    /// How many fuzzers died, and how long the next ones took in total to run something.
    deaths: (u64, Duration),
    /// The number of executions when this fuzzer began.
    before: u64,
    /// When the previous fuzzer died. `None` once this fuzzer has run something.
    died: Option<Instant>,
    stillborn: u32,
    snapshot_pace: SnapshotPace,
    prescreen: Option<Prescreen>,
    screening: PrescreenPolicy,
    memory: Memory,
    memory_of_worker: Memory,
    stop_at_first: bool,
    interrupted: Arc<AtomicBool>,
    /// SIGUSR1 and SIGUSR2 set this flag. At these signals libFuzzer ends in order.
    asked_to_end: Arc<AtomicBool>,
    /// Set if this process is one of several fuzzers of a run.
    member: Option<Member>,
    /// Whether the fuzzer was asked to end because its time is up.
    is_timed_out: bool,
    corpus: Option<TemporaryCorpus>,
    dictionary: Option<Dictionary>,
}

/// Keeps the session of a run. Returns in each forked fuzzer, which then fuzzes. The supervisor
/// itself never returns.
pub(super) fn supervise(target: &'static Target, given: &Given, mut session: Session) -> Start {
    isolation::assert_may_fuzz();
    let member = Member::of_this_process();
    session.end_by(
        Deadline::after(given.max_total_time).or(member.as_ref().and_then(Member::ends_after)),
    );
    if member.is_some() {
        session.leave_minimizing_to_another();
    }
    let link = match Link::new() {
        Ok(link) => link,
        Err(error) => refuse(
            exit::ENVIRONMENT,
            &format!("no memory could be shared with the fuzzer: {error}"),
        ),
    };
    let (interrupted, asked_to_end) =
        (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    if let Err(error) = hear(&interrupted, &asked_to_end) {
        refuse(exit::ENVIRONMENT, &format!("signals cannot be handled: {error}"));
    }
    let knows_damage = session.knows_damage();
    let mut supervisor = Supervisor {
        target,
        given,
        session,
        link,
        tally: Tally::default(),
        executor: None,
        known_crashes: KnownCrashes::new(),
        fuzzer: None,
        names: Names::default(),
        damage: Damage::new(knows_damage),
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
        interrupted,
        asked_to_end,
        member,
        is_timed_out: false,
        // A drop-in target keeps libFuzzer's defaults unless its user changes them.
        dictionary: if given.dictionary || target.is_drop_in() {
            None
        } else {
            Dictionary::new(target.manifest_dir())
        },
        corpus: given.inputs.is_empty().then(TemporaryCorpus::new).flatten(),
    };
    children::adopt_orphans();
    loop {
        let id = process::id();
        match fork::fork() {
            Ok(0) => {
                process::die_with(id);
                process::leave_signals_to_the_parent();
                let arguments = supervisor.arguments();
                let prescreen = supervisor.prescreen.clone();
                let known_crashes =
                    std::mem::replace(&mut supervisor.known_crashes, KnownCrashes::new());
                // Only the supervisor may end the session, so the fuzzer must never drop it. The
                // pointer keeps the memory reachable, so a leak checker reports no leak.
                LEFT_ALONE.store(Box::into_raw(Box::new(supervisor)).cast(), Ordering::Release);
                return Start {
                    link,
                    known_crashes,
                    prescreen,
                    supervisor: id,
                    runs: given.runs,
                    arguments,
                };
            }
            Ok(fuzzer) => {
                let mut next = Some(fuzzer);
                while let Some(fuzzer) = next {
                    supervisor.fuzzer = Some(fuzzer);
                    let status = supervisor.watch();
                    next = supervisor.bury(status);
                }
            }
            Err(error) => supervisor.give_up(&format!("the fuzzer could not be started: {error}")),
        }
    }
}

/// Installs signal handlers that set flags. The supervisor polls the flags, so it needs no second
/// thread.
pub(super) fn hear(
    interrupted: &Arc<AtomicBool>,
    asked_to_end: &Arc<AtomicBool>,
) -> std::io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        // The second signal ends the process at once.
        flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(interrupted))?;
        flag::register(signal, Arc::clone(interrupted))?;
    }
    for signal in [SIGUSR1, SIGUSR2] {
        flag::register(signal, Arc::clone(asked_to_end))?;
    }
    Ok(())
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
        arguments.extend(self.dictionary.iter().map(Dictionary::argument));
        arguments.extend(self.corpus.iter().map(TemporaryCorpus::argument));
        arguments
    }

    /// Serves the fuzzer until it ends, and returns its exit status.
    fn watch(&mut self) -> libc::c_int {
        loop {
            self.link.wait(if self.died.is_some() { SHORT_LOOK } else { LOOK });
            if self.link.executions() > self.before
                && let Some(died) = self.died.take()
            {
                self.deaths.1 += died.elapsed();
            }
            if self.interrupted.load(Ordering::Acquire) {
                self.interrupt();
            }
            if self.asked_to_end.swap(false, Ordering::AcqRel)
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
            if let Some(status) = status {
                self.fuzzer = None;
                return status;
            }
        }
    }

    /// Ends the fuzzer when its time is up.
    ///
    /// libFuzzer ends by itself between two executions. The supervisor gives up an execution that
    /// takes longer.
    fn look_at_the_time(&mut self) {
        let deadline = self.session.deadline();
        if deadline.ends_fuzzing() {
            if self.link.in_flight().is_some() {
                self.session.remark(
                    "the target was still running on an input when the time was up: that execution \
                     was given up"
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
        if self.member.as_mut().is_some_and(|member| !member.look(executions)) {
            self.interrupt();
        }
    }

    /// Decides how often the fuzzer makes a snapshot, and whether a worker runs inputs first.
    fn look_at_costs(&mut self) {
        let (killed, survived) = (self.link.killed().1, self.link.survived().1);
        let elapsed = self.started.elapsed().saturating_sub(self.deaths.1 + killed);
        self.snapshot_pace.look(elapsed, self.deaths.0);
        let execution = elapsed
            .saturating_sub(survived + self.link.copying())
            .div_f64(self.link.executions().max(1) as f64);
        let lost =
            self.deaths.1 + self.link.copying() + execution.mul_f64(self.link.repeated() as f64);
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
        let wanted = [self.fuzzer, self.session.minimizer(), fork_server];
        children::reap_children(|child| !wanted.contains(&Some(child)));
    }

    fn take_report(&mut self) {
        let Some((report, input)) = self.link.waiting(self.target.manifest_dir()) else { return };
        let index = match report {
            Report::Misuse(misuse) => self.misused(&misuse),
            Report::Failure(failed) => self.reported(&input, failed),
            Report::Death { has_record, status } => {
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
        if let Err(text) = self.tally.count(&mut self.session, |index| link.hits(index)) {
            self.give_up(&text)
        }
    }

    fn end_fuzzer(&mut self) {
        if let Some(fuzzer) = self.fuzzer.take() {
            children::kill(fuzzer);
            children::wait_for(fuzzer);
        }
        self.snapshot_pace.take(true);
        if let Some(screen) = &self.prescreen {
            screen.end();
        }
        self.end_what_is_left();
    }

    /// Ends all processes that the target has left running, and the processes that those started.
    /// The supervisor has adopted all of them.
    fn end_what_is_left(&self) {
        let wanted = [self.session.minimizer(), self.executor.as_ref().map(Isolated::fork_server)];
        offspring::end_all_but(&wanted.into_iter().flatten().collect::<Vec<_>>());
    }

    /// Ends the executor and all remaining processes at the end of the run.
    ///
    /// The supervisor adopts the processes that the target started in the executor only when the
    /// executor ends.
    fn leave_nothing(&mut self) {
        self.executor = None;
        self.end_what_is_left();
    }

    /// Removes the files that only this run uses.
    fn remove_files(&mut self) {
        self.corpus.take();
        self.dictionary.take();
        if let Some(member) = self.member.take() {
            member.leave(self.link.executions());
        }
    }

    fn interrupt(&mut self) -> ! {
        self.end_fuzzer();
        self.take_report();
        self.count();
        let ended = self.session.end(true);
        self.leave_nothing();
        self.remove_files();
        if let Err(error) = ended {
            events::error(&error.to_string());
        }
        process::leave(INTERRUPTED)
    }

    /// Waits until the minimizers are done, prints the table and leaves. The exit code is
    /// libFuzzer's code for a failure if anything failed, else `code`.
    fn finish(&mut self, code: i32) -> ! {
        self.end_fuzzer();
        self.session.fuzzing_is_over();
        self.count();
        let (skipped, repeated) = (self.link.skips(), self.link.repeated());
        if skipped > 0 {
            self.session.remark(format!(
                "{skipped} executions were skipped: their inputs had killed the process before"
            ));
        }
        let (survived, killed) = (self.link.survived().0, self.link.killed().0);
        if survived + killed > 0 {
            self.session.remark(format!(
                "{} executions were tried in a process of their own first, as so many kill: \
                 {killed} did",
                survived + killed
            ));
        }
        if repeated > 0 {
            self.session.remark(format!(
                "{repeated} executions were made again: after a death the fuzzer goes on a little \
                 before it"
            ));
        }
        loop {
            if self.interrupted.load(Ordering::Acquire) {
                self.interrupt();
            }
            let polled = self.session.poll();
            self.or_refuse(polled);
            if !self.session.is_busy() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let ended = self.session.end(false);
        self.leave_nothing();
        self.remove_files();
        match ended {
            Ok(true) => process::leave(FAILED),
            Ok(false) => process::leave(code),
            Err(error) => refuse(exit::ENVIRONMENT, &error.to_string()),
        }
    }

    fn or_refuse(&mut self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.give_up(&error.to_string());
        }
    }

    fn give_up(&mut self, why: &str) -> ! {
        self.end_fuzzer();
        self.leave_nothing();
        self.remove_files();
        refuse(exit::ENVIRONMENT, why)
    }
}

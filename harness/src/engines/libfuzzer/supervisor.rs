//! The process that outlives the fuzzer: it keeps the session, and when the target kills the fuzzer, it names the bug and forks the next one.
//!
//! It never runs the target itself and has no second thread, so that each fuzzer begins as the first one did.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};

use dwindle_corpus::{BugKind, StoreError};
use dwindle_engine::Trace;
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::flag;

use super::arguments::Given;
use super::copies::Copies;
use super::corpus::TemporaryCorpus;
use super::fuzzer::Killers;
use super::link::Link;
use super::memory::Memory;
use super::tmin::INTERRUPTED;
use super::{FAILED, refuse};
use crate::engines::modes;
use crate::failure::deaths::{Cause, Death, Names};
use crate::failure::executor::{Failed, Run};
use crate::isolation::Isolated;
use crate::minimize::site::{Runs, Site};
use crate::process;
use crate::session::{Session, Sighting, config, events};
use crate::target::Target;

/// How often the supervisor looks up when nothing happens.
const LOOK: Duration = Duration::from_millis(20);
/// The same while the fuzzer is being started again.
const SHORT_LOOK: Duration = Duration::from_millis(2);
/// So many fuzzers in a row that die before they have run anything are too many.
const STILLBORN_MAX: u32 = 5;

/// What a fuzzer begins with.
pub(super) struct Start {
    pub(super) link: Link,
    pub(super) killers: Killers,
    pub(super) supervisor: libc::pid_t,
    /// How many executions the run may have.
    pub(super) runs: Option<u64>,
    /// Arguments that libFuzzer gets behind those of the user.
    pub(super) arguments: Vec<String>,
}

/// What a fuzzer has of its supervisor, and never touches: marked, or it would not even be stored.
#[used]
static LEFT_ALONE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

struct Supervisor<'a> {
    target: &'static Target,
    given: &'a Given,
    session: Session,
    link: Link,
    /// The failures that were reported, in order, and how many sightings of each were counted.
    reports: Vec<(Failed, Vec<u8>, u64)>,
    /// Runs what left no word of its end.
    site: Option<Isolated>,
    killers: Killers,
    /// None once it has ended: its number may be another process's then.
    fuzzer: Option<libc::pid_t>,
    /// Names found before: to find those of the frames takes long.
    names: Names,
    started: Instant,
    /// How many executions there had been when this fuzzer began.
    before: u64,
    /// When the fuzzer before died, until this one has begun.
    died: Option<Instant>,
    stillborn: u32,
    copies: Copies,
    memory: Memory,
    stop_at_first: bool,
    interrupted: Arc<AtomicBool>,
    /// By SIGUSR1 or SIGUSR2, at which libFuzzer ends in order.
    asked_to_end: Arc<AtomicBool>,
    corpus: Option<TemporaryCorpus>,
}

/// Keeps the session of a run. Returns in each fuzzer, to fuzz; the supervisor itself never returns.
pub(super) fn supervise(target: &'static Target, given: &Given, session: Session) -> Start {
    let link = match Link::new() {
        Ok(link) => link,
        Err(error) => refuse(modes::ENVIRONMENT, &format!("no memory could be shared with the fuzzer: {error}")),
    };
    let (interrupted, asked_to_end) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    if let Err(error) = hear(&interrupted, &asked_to_end) {
        refuse(modes::ENVIRONMENT, &format!("signals cannot be handled: {error}"));
    }
    let mut supervisor = Supervisor {
        target,
        given,
        session,
        link,
        reports: Vec::new(),
        site: None,
        killers: Killers::new(),
        fuzzer: None,
        names: Names::default(),
        started: Instant::now(),
        before: 0,
        died: None,
        stillborn: 0,
        copies: Copies::new(link),
        memory: Memory::new(given.rss_limit()),
        stop_at_first: config::stop_at_first(),
        interrupted,
        asked_to_end,
        corpus: given.inputs.is_empty().then(TemporaryCorpus::new).flatten(),
    };
    process::adopt_orphans();
    loop {
        let id = process::id();
        match process::fork() {
            Ok(0) => {
                process::die_with(id);
                process::leave_signals_to_the_parent();
                let arguments = supervisor.arguments();
                let killers = std::mem::replace(&mut supervisor.killers, Killers::new());
                // The session is the supervisor's: here it must not so much as end. Nor may a leak checker miss it.
                LEFT_ALONE.store(Box::into_raw(Box::new(supervisor)).cast(), Ordering::Release);
                return Start { link, killers, supervisor: id, runs: given.runs, arguments };
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

/// Signals set flags, which the supervisor looks at: no second thread is needed to hear them.
fn hear(interrupted: &Arc<AtomicBool>, asked_to_end: &Arc<AtomicBool>) -> std::io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        // The second one ends the process at once.
        flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(interrupted))?;
        flag::register(signal, Arc::clone(interrupted))?;
    }
    for signal in [SIGUSR1, SIGUSR2] {
        flag::register(signal, Arc::clone(asked_to_end))?;
    }
    Ok(())
}

impl Supervisor<'_> {
    /// What the next fuzzer may still do, and the corpus if the user gave none. Of a flag given twice libFuzzer takes the last.
    fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if self.session.restarts.0 > 0 {
            if let Some(seconds) = self.given.max_total_time.filter(|seconds| *seconds > 0) {
                arguments.push(format!("-max_total_time={}", seconds.saturating_sub(self.started.elapsed().as_secs()).max(1)));
            }
            if let Some(runs) = self.given.runs {
                arguments.push(format!("-runs={}", runs.saturating_sub(self.before)));
            }
            if let Some(seed) = self.given.seed.filter(|seed| *seed != 0) {
                arguments.push(format!("-seed={}", (u64::from(seed) + self.session.restarts.0) as u32));
            }
        }
        arguments.extend(self.corpus.iter().map(TemporaryCorpus::argument));
        arguments
    }

    /// Serves the fuzzer until it ends, and says how it did.
    fn watch(&mut self) -> libc::c_int {
        loop {
            self.link.wait(if self.died.is_some() { SHORT_LOOK } else { LOOK });
            if self.link.executions() > self.before
                && let Some(died) = self.died.take()
            {
                self.session.restarts.1 += died.elapsed();
            }
            if self.interrupted.load(Ordering::Acquire) {
                self.interrupt();
            }
            if self.asked_to_end.swap(false, Ordering::AcqRel)
                && let Some(fuzzer) = self.fuzzer
            {
                process::signal(fuzzer, SIGUSR1);
            }
            self.copies.look(self.started.elapsed().saturating_sub(self.session.restarts.1), self.session.restarts.0);
            if let Some(fuzzer) = self.fuzzer {
                self.memory.look(fuzzer);
            }
            self.reap_orphans();
            let status = self.fuzzer.and_then(process::try_wait);
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

    /// What the target and the minimizers left behind is this process's to wait for.
    fn reap_orphans(&self) {
        let nursery = self.site.as_ref().map(Isolated::nursery);
        let wanted = [self.fuzzer, self.session.minimizer(), nursery];
        process::reap_children(|child| !wanted.contains(&Some(child)));
    }

    fn take_report(&mut self) {
        if let Some((failed, input)) = self.link.waiting() {
            let known = self.reports.iter().position(|(known, ..)| known.id == failed.id);
            if known.is_some() {
                self.look_for_variant(&input, &failed);
            } else {
                self.saw(&input, &failed);
                self.reports.push((failed, input, 1));
            }
            self.link.take(known.unwrap_or(self.reports.len() - 1));
        }
    }

    fn saw(&mut self, input: &[u8], failed: &Failed) {
        match self.session.saw(input, failed) {
            Ok(Sighting::New) if self.stop_at_first => {
                self.count();
                self.end_fuzzer();
                if self.given.final_stats {
                    eprintln!("stat::number_of_executed_units: {}", self.session.executions);
                }
                self.finish(FAILED)
            }
            Ok(_) => {}
            Err(error) => {
                let text = self.session.rescue(input, &error);
                self.give_up(&text)
            }
        }
    }

    fn look_for_variant(&mut self, input: &[u8], failed: &Failed) {
        let looked = self.session.look_for_variant(input, failed);
        self.or_refuse(looked);
    }

    /// Brings the session's figures up to date.
    fn count(&mut self) {
        self.session.executions = self.link.executions();
        for index in 0..self.reports.len() {
            let (failed, input, counted) = &mut self.reports[index];
            let now = self.link.sightings(index);
            let more = now.saturating_sub(*counted);
            *counted = now.max(*counted);
            if more > 0 && !self.session.count(failed.id, more) {
                // Its folder was taken away meanwhile: the bug is claimed again.
                let (failed, input) = (failed.clone(), input.clone());
                self.saw(&input, &failed);
            }
        }
    }

    /// Takes note of what a fuzzer died of. The copy of it that goes on, if there is one; if not, there shall be a new fuzzer.
    fn bury(&mut self, status: libc::c_int) -> Option<libc::pid_t> {
        if let Some(code) = self.link.ended() {
            self.finish(code);
        }
        if libc::WIFSIGNALED(status) && matches!(libc::WTERMSIG(status), SIGINT | SIGTERM) {
            self.interrupt();
        }
        self.died.get_or_insert_with(Instant::now);
        self.session.restarts.0 += 1;
        self.stillborn = if self.link.executions() == self.before { self.stillborn + 1 } else { 0 };
        // A copy of a process that took too much memory has taken it too.
        let takes_too_much = self.memory.was_too_much();
        let input = match self.link.in_flight() {
            Some(input) => match self.name(&input, status, takes_too_much) {
                Some(failed) => Some((input, failed)),
                None if takes_too_much => {
                    events::error("the fuzzer took too much memory, over many executions; it is started again");
                    // By itself it does not; all the same it shall not end the next fuzzer.
                    self.killers.insert(input);
                    None
                }
                None => {
                    events::error("the fuzzer was killed from outside; it is started again");
                    None
                }
            },
            None if takes_too_much => None,
            // libFuzzer could not begin, and has said why; or it was asked to end, and skips its exit handlers.
            None if libc::WIFEXITED(status) && (self.link.executions() == self.before || libc::WEXITSTATUS(status) == 0) => {
                self.finish(libc::WEXITSTATUS(status))
            }
            // libFuzzer looks for leaks behind the target, and ends where it finds one.
            None if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == FAILED => {
                let input = self.link.last();
                // What a panic that was caught left behind is that panic's doing.
                let leak = || Death { cause: Cause::Leak, ..Death::unseen(status) }.named(self.target.manifest_dir());
                let failed = self.again(&input, BugKind::Leak).unwrap_or_else(leak);
                Some((input, failed))
            }
            None => {
                events::error(&format!("the fuzzer ended outside of the target ({}); it is started again", process::how(status)));
                None
            }
        };
        let is_killer = input.is_some();
        if let Some((input, failed)) = input {
            self.saw(&input, &failed);
            self.look_for_variant(&input, &failed);
            self.killers.insert(input);
        }
        self.before = self.link.executions();
        if self.stillborn >= STILLBORN_MAX {
            self.give_up("the target kills the fuzzer again and again before anything has run; try `init:` and the inputs of the corpus one by one");
        }
        let time_is_up = self.given.max_total_time.is_some_and(|seconds| seconds > 0 && self.started.elapsed().as_secs() >= seconds);
        if time_is_up || self.given.runs.is_some_and(|runs| self.before >= runs) {
            self.finish(0);
        }
        let copy = self.copies.take(takes_too_much || self.stillborn > 0);
        self.link.reset(is_killer);
        if let Some(copy) = copy {
            self.link.wake(copy);
        }
        copy
    }

    /// The failure that killed the fuzzer: by the word that it left, or by doing it again. None if it was not the target's doing.
    fn name(&mut self, input: &[u8], status: libc::c_int, takes_too_much: bool) -> Option<Failed> {
        let manifest_dir = self.target.manifest_dir();
        if takes_too_much {
            return self.again(input, BugKind::Oom);
        }
        if let Some(death) = self.link.record() {
            return Some(self.names.of(death, manifest_dir));
        }
        let death = by_libfuzzer(status);
        let from_outside = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL;
        self.again(input, death.kind()).or_else(|| (!from_outside).then(|| death.named(manifest_dir)))
    }

    /// The failure that the input shows in a process of its own, if it does.
    fn again(&mut self, input: &[u8], kind: BugKind) -> Option<Failed> {
        if self.site.is_none() {
            self.site = Isolated::new(self.target, config::choices_max()).ok();
        }
        let site = self.site.as_mut()?;
        site.allow_for(Runs::Again(kind));
        match site.run_input(input, &mut Trace::default()) {
            Run::Failed(failed) => Some(failed),
            Run::Passed | Run::Rejected | Run::Overrun => None,
        }
    }

    fn end_fuzzer(&mut self) {
        if let Some(fuzzer) = self.fuzzer.take() {
            process::kill(fuzzer);
            process::wait_for(fuzzer);
        }
        self.copies.take(true);
    }

    fn interrupt(&mut self) -> ! {
        self.end_fuzzer();
        self.take_report();
        self.count();
        let ended = self.session.end(true);
        self.corpus.take();
        if let Err(error) = ended {
            events::error(&error.to_string());
        }
        process::leave(INTERRUPTED)
    }

    /// Waits for what is still being minimized, says the table and leaves: with libFuzzer's code for a failure if anything failed, else with `code`.
    fn finish(&mut self, code: i32) -> ! {
        self.end_fuzzer();
        self.count();
        let (skipped, repeated) = (self.link.skips(), self.link.repeated());
        if skipped > 0 {
            self.session.remark(format!("{skipped} executions were skipped: their inputs had killed the process before"));
        }
        if repeated > 0 {
            self.session.remark(format!("{repeated} executions were made again: after a death the fuzzer goes on a little before it"));
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
        self.corpus.take();
        match ended {
            Ok(true) => process::leave(FAILED),
            Ok(false) => process::leave(code),
            Err(error) => refuse(modes::ENVIRONMENT, &error.to_string()),
        }
    }

    fn or_refuse(&mut self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.give_up(&error.to_string());
        }
    }

    fn give_up(&mut self, why: &str) -> ! {
        self.end_fuzzer();
        self.corpus.take();
        refuse(modes::ENVIRONMENT, why)
    }
}

/// The death of a process by libFuzzer's own hand, as its exit code tells: what no other process dies of.
fn by_libfuzzer(status: libc::c_int) -> Death {
    /// libFuzzer's exit codes for a run that took too long and for one that took too much memory.
    const TIMEOUT: i32 = 70;
    const OOM: i32 = 71;
    let cause = match libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)) {
        Some(TIMEOUT) => Cause::Time,
        Some(OOM) => Cause::Memory,
        _ => Cause::Unseen(status),
    };
    Death { cause, ..Death::unseen(status) }
}

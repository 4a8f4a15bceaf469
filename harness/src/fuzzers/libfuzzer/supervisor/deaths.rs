//! Deaths of fuzzers and workers: the supervisor finds the cause, records the bug and chooses the
//! next fuzzer.

use std::fs;
use std::time::Instant;

use dwindle_corpus::BugKind;
use dwindle_engine::internals::Trace;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::{STILLBORN_MAX, Supervisor};
use crate::execution::{Executor, Runs};
use crate::exit::WRONG_USE;
use crate::exit::libfuzzer::FAILED;
use crate::failure::deaths::{Death, DeathCause};
use crate::failure::failed::Failed;
use crate::isolation::{Isolated, Prescreen, death, sanitizer};
use crate::session::sha1_hex;
use crate::system::children;
use crate::target::Target;
use crate::{environment, events, exit};

/// What a fuzzer died of.
struct Autopsy {
    /// The input that killed it, and the failure of this input.
    failed: Option<(Vec<u8>, Failed)>,
    /// Whether the memory of the process was damaged, so that a snapshot of it is damaged too.
    is_damaged: bool,
    /// Whether the snapshot of the fuzzer has run the input as well.
    is_in_the_snapshot: bool,
}

impl Supervisor<'_> {
    /// Records what a fuzzer died of. Returns the snapshot that continues, or `None` if a new
    /// fuzzer must start.
    pub(super) fn bury(&mut self, status: libc::c_int) -> Option<libc::pid_t> {
        if let Some(code) = self.link.ended().or_else(|| self.ended_without_handlers(status)) {
            self.finish(code);
        }
        if libc::WIFSIGNALED(status) && matches!(libc::WTERMSIG(status), SIGINT | SIGTERM) {
            self.interrupt();
        }
        if self.link.was_mutating() && died_by_itself(status) {
            events::error(&format!(
                "the mutator or the crossover of the target ended its process ({}); it must \
                 return a size",
                children::how(status)
            ));
            self.finish(WRONG_USE);
        }
        self.died.get_or_insert_with(Instant::now);
        self.correct_artifact();
        self.deaths.0 += 1;
        if let Some(screen) = &self.prescreen {
            screen.settle();
            // This comes before the names of frames take memory, which would make each fork of a
            // worker more expensive.
            if screen.start().is_err() {
                self.prescreen = None;
            }
        }
        self.stillborn = if self.link.executions() == self.before { self.stillborn + 1 } else { 0 };
        // A snapshot of a process that used too much memory uses too much memory as well.
        let takes_too_much = self.memory.was_too_much();
        let autopsy = self.autopsy(status, takes_too_much);
        let mut is_damaged = autopsy.is_damaged;
        let mut has_crashed = autopsy.failed.is_some();
        if let Some((input, failed)) = autopsy.failed {
            let (failed, is_innocent) = self.settle(&input, failed);
            (is_damaged, has_crashed) = (is_damaged || is_innocent, !is_innocent);
            self.saw(&input, &failed);
            self.look_for_variant(&input, &failed);
            if has_crashed {
                self.known_crashes.insert(&input);
            }
        }
        self.before = self.link.executions();
        if self.stillborn >= STILLBORN_MAX {
            self.give_up(
                "the target always kills the fuzzer before the first execution ends; check \
                 `init:`, and run the inputs of the corpus one by one",
            );
        }
        let time_is_up = self
            .given
            .max_total_time
            .is_some_and(|seconds| seconds > 0 && self.started.elapsed().as_secs() >= seconds);
        if time_is_up || self.given.runs.is_some_and(|runs| self.before >= runs) {
            self.finish(0);
        }
        let snapshot = self
            .snapshot_pace
            .take(takes_too_much || is_damaged || autopsy.is_in_the_snapshot || self.stillborn > 0);
        self.link.reset(has_crashed);
        if let Some(snapshot) = snapshot {
            self.link.wake(snapshot);
        }
        snapshot
    }

    /// If a random case ran in place of libFuzzer's input, a file that libFuzzer wrote of this
    /// death gets the bytes of the case.
    fn correct_artifact(&self) {
        let (Some(case), Some(input)) =
            (self.link.in_flight(), self.link.replaced_by_random_case())
        else {
            return;
        };
        let prefix = self.given.artifact_prefix.as_deref().unwrap_or("./");
        for kind in ["crash", "timeout", "oom"] {
            let path = format!("{prefix}{kind}-{}", sha1_hex(&input));
            let path = self.given.exact_artifact_path.clone().unwrap_or(path);
            if fs::read(&path).is_ok_and(|content| content == input)
                && let Err(error) = fs::write(&path, &case)
            {
                events::error(&format!("cannot write {path}: {error}"));
            }
        }
    }

    /// The exit code of a fuzzer that has not died, but has ended without its exit handlers: either
    /// libFuzzer could not begin and has printed why, or it was asked to end.
    fn ended_without_handlers(&self, status: libc::c_int) -> Option<libc::c_int> {
        let was_between = self.link.in_flight().is_none() && !self.is_replaced;
        let has_ended = libc::WIFEXITED(status) && !died_by_itself(status);
        let has_begun = self.snapshot_pace.is_fuzzing() || self.link.executions() > self.before;
        let code = libc::WEXITSTATUS(status);
        (was_between && has_ended && (!has_begun || code == 0)).then_some(code)
    }

    /// Finds what a fuzzer died of.
    fn autopsy(&mut self, status: libc::c_int, takes_too_much: bool) -> Autopsy {
        let mut is_damaged = std::mem::take(&mut self.is_replaced);
        let mut is_in_the_snapshot = false;
        let failed = match self.link.in_flight() {
            _ if is_damaged => None,
            Some(input) => match self.name(&input, self.link.record(), status, takes_too_much) {
                Some(failed) => Some((input, failed)),
                None if takes_too_much => {
                    events::error(
                        "the fuzzer used too much memory over many executions; dwindle starts it \
                         again",
                    );
                    // This input alone does not use too much memory. The supervisor still records
                    // it, so that it does not end the next fuzzer.
                    self.known_crashes.insert(&input);
                    None
                }
                None => {
                    events::error("the fuzzer was killed from outside; dwindle starts it again");
                    None
                }
            },
            None if takes_too_much => None,
            // Without a sanitizer, damaged memory of the target can cause a fault anywhere, also in
            // libFuzzer.
            None if !sanitizer::is_there() && died_by_itself(status) => {
                let failed = self.damage.outside();
                is_damaged = true;
                self.saw(&self.link.last(), &failed);
                None
            }
            // libFuzzer looks for leaks after the target has returned, and ends the process if it
            // finds one.
            None if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == FAILED => {
                let input = self.link.last();
                is_in_the_snapshot = self.link.snapshot_ran_the_last();
                // A caught panic may leave memory behind. The second run then returns that panic as
                // the failure.
                let leak = || {
                    Death { cause: DeathCause::Leak, ..Death::unseen(status) }
                        .named(self.target.manifest_dir())
                };
                let failed = self.again(&input, BugKind::Leak).unwrap_or_else(leak);
                Some((input, failed))
            }
            None => {
                events::error(&format!(
                    "the fuzzer ended outside of the target ({}); dwindle starts it again",
                    children::how(status)
                ));
                None
            }
        };
        Autopsy { failed, is_damaged, is_in_the_snapshot }
    }

    /// The failure that killed the fuzzer, from its record or from a second run. `None` if the
    /// target did not cause the death.
    fn name(
        &mut self,
        input: &[u8],
        record: Option<Death>,
        status: libc::c_int,
        takes_too_much: bool,
    ) -> Option<Failed> {
        let manifest_dir = self.target.manifest_dir();
        if takes_too_much {
            return self.again(input, BugKind::Oom);
        }
        if let Some(death) = record {
            return Some(self.names.of(death, manifest_dir));
        }
        let death = by_libfuzzer(status);
        let from_outside = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL;
        self.again(input, death.kind())
            .or_else(|| (!from_outside).then(|| death.named(manifest_dir)))
    }

    /// The failure that the input shows in a separate process, if it fails there.
    fn again(&mut self, input: &[u8], kind: BugKind) -> Option<Failed> {
        let executor =
            executor(&mut self.executor, self.target, self.session.deadline().gives_up_at())?;
        // A shorter run could end before the hang, in work that only takes long.
        executor.allow_for(Runs::Again(kind));
        executor.run_input(input, &mut Trace::default()).failure()
    }

    /// Records what a worker died of. The fuzzer runs inputs in a worker first.
    pub(super) fn worker_died(&mut self, input: &[u8], has_record: bool, status: libc::c_int) {
        let record = self.prescreen.as_ref().filter(|_| has_record).and_then(Prescreen::record);
        // A worker that left a record died by itself, even if the supervisor was about to end it.
        let takes_too_much = self.memory_of_worker.was_too_much() && record.is_none();
        if let Some(failed) = self.name(input, record, status, takes_too_much) {
            let (failed, _) = self.settle(input, failed);
            self.saw(input, &failed);
            self.look_for_variant(input, &failed);
        }
        self.known_crashes.insert(input);
    }
}

/// The process that runs inputs again. It gives up at the time `until`.
pub(super) fn executor<'a>(
    executor: &'a mut Option<Isolated>,
    target: &'static Target,
    until: Option<Instant>,
) -> Option<&'a mut Isolated> {
    if executor.is_none() {
        *executor = Isolated::new(target, environment::choices_max()).ok();
    }
    let executor = executor.as_mut()?;
    executor.give_up_at(until);
    Some(executor)
}

/// Whether a fault in the process ended it. A signal from outside and an orderly exit do not count.
fn died_by_itself(status: libc::c_int) -> bool {
    const FAULTS: [libc::c_int; 6] =
        [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP];
    if libc::WIFEXITED(status) {
        // Without a sanitizer libFuzzer finds no leaks, so its own handler met a fault.
        let code = libc::WEXITSTATUS(status);
        code == death::FAULT_OUTSIDE || code == FAILED && !sanitizer::is_there()
    } else {
        FAULTS.contains(&libc::WTERMSIG(status))
    }
}

/// The death of a process that libFuzzer itself ended. The exit code gives the cause, and no other
/// process ends with it.
fn by_libfuzzer(status: libc::c_int) -> Death {
    let cause = match libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)) {
        Some(exit::libfuzzer::TIMEOUT) => DeathCause::Time,
        Some(exit::libfuzzer::OOM) => DeathCause::Memory,
        _ => DeathCause::Unseen(status),
    };
    Death { cause, ..Death::unseen(status) }
}

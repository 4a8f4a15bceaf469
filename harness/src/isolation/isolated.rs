//! The executor that the rest of the harness uses. Its runs may die.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dwindle_corpus::BugKind;
use dwindle_corpus::events::Rejected;
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::shrink::Candidate;

use super::fork_server::{self, Prints, Requests};
use super::printed::{self, Clue, Printed};
use super::shared::{Area, Shared};
use super::transcript;
use super::watcher::{Answer, Watcher};
use super::wire::{Reader, Writer};
use super::worker::{self, op};
use super::{covered, death};
use crate::execution::{Executor, Freed, InProcess, Run, Runs, Transcript};
use crate::failure::deaths::{Death, DeathNames};
use crate::failure::failed::Failed;
use crate::failure::panics::Scope;
use crate::limits::{self, Allowed};
use crate::system::{children, priority, usage};
use crate::target::Target;

/// The name of the fork server in process lists.
const NAME: &[u8; 16] = b"dwindle-forksrv\0";

/// Runs the target in workers. See the [module](super).
pub(crate) struct Isolated {
    shared: &'static Shared<Requests>,
    watcher: Watcher,
    fork_server: libc::pid_t,
    manifest_dir: PathBuf,
    choices_max: usize,
    /// The last bytes that were copied out of shared memory.
    copy: Vec<u8>,
    /// Whether the target takes its input raw. Its only draw is then the input, however the run
    /// ends.
    is_drop_in: bool,
    /// Whether the last run ended its worker.
    has_lost_worker: bool,
    names: DeathNames,
    /// The time limit for a new process, if it differs from the limit for the kind of the failure.
    process_max: Option<Duration>,
    /// Filled when it is first needed.
    printed: Vec<Printed>,
}

impl Isolated {
    /// Forks the fork server. Call it before the target runs for the first time, and before any
    /// thread starts.
    pub(crate) fn new(target: &'static Target, choices_max: usize) -> io::Result<Isolated> {
        Isolated::printing(target, choices_max, Prints::Lost)
    }

    /// The same, for callers that choose what happens to the output of the target.
    pub(crate) fn printing(
        target: &'static Target,
        choices_max: usize,
        prints: Prints,
    ) -> io::Result<Isolated> {
        let shared = Shared::new()?;
        let fork_server = fork_server::start(shared, NAME, prints, |number| {
            target.initialize();
            let mut executor = InProcess::new(
                target.property(),
                Scope::Process,
                target.manifest_dir(),
                choices_max,
            );
            worker::work(shared, &mut executor, number)
        })?;
        let manifest_dir = target.manifest_dir().to_owned();
        Ok(Isolated {
            shared,
            watcher: Watcher::new(shared, fork_server),
            fork_server,
            manifest_dir,
            choices_max,
            copy: Vec::new(),
            is_drop_in: target.is_drop_in(),
            has_lost_worker: false,
            names: DeathNames::default(),
            process_max: None,
            printed: Vec::new(),
        })
    }

    /// Sets a deadline. A run that lasts until the deadline is given up, and counts as rejected.
    pub(crate) fn give_up_at(&mut self, until: Option<Instant>) {
        self.watcher.until = until;
    }

    /// Runs the target on random cases of a seed, from number `first` on. It stops at a case that
    /// fails, or after `count` cases. Returns the number of cases run, and the result of the last
    /// case.
    pub(crate) fn run_random(
        &mut self,
        seed: u64,
        first: u64,
        count: u64,
        trace: &mut Trace,
    ) -> (u64, Run) {
        self.shared.header().cases.store(0, Ordering::Release);
        let run = self.run(trace, |writer| {
            writer.byte(op::RANDOM);
            for number in [seed, first, count] {
                writer.number(number);
            }
        });
        (self.shared.header().cases.load(Ordering::Acquire), run)
    }

    /// The runs so far that were rejected, of random cases and of inputs. Candidates do not count.
    pub(crate) fn rejected(&self) -> Rejected {
        self.shared.header().rejections.figures()
    }

    /// The process id of the child that forks the workers.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn fork_server(&self) -> libc::pid_t {
        self.fork_server
    }

    /// Makes an empty request and waits for the answer.
    pub(crate) fn round_trip(&mut self) {
        self.run(&mut Trace::default(), |writer| writer.byte(op::NOTHING));
    }

    /// Runs a target that takes its input raw.
    fn run_raw(&mut self, input: Arc<[u8]>, trace: &mut Trace) -> Run {
        let run = self.run(trace, |writer| {
            writer.byte(op::UNRECORDED);
            writer.string(&input);
        });
        trace.set_raw_input(input);
        run
    }

    fn run(&mut self, trace: &mut Trace, write: impl FnOnce(&mut Writer<'_>)) -> Run {
        trace.clear();
        let Some(request) = self.shared.request(write) else { return Run::Overrun };
        let answer = self.watcher.wait(request);
        self.has_lost_worker = !matches!(answer, Answer::Alive);
        match answer {
            Answer::Alive => self.read_answer(trace).unwrap_or(Run::Overrun),
            died => self.dead(died, trace),
        }
    }

    /// Runs an input in new processes at the same time, and returns what each shows of a failure.
    /// `None` if a process cannot be started.
    fn run_as_printed(
        &mut self,
        input: &[u8],
        kind: BugKind,
        processes: usize,
    ) -> Option<Vec<Option<Clue>>> {
        while self.printed.len() < processes {
            self.printed.push(Printed::new().ok()?);
        }
        let patience = self.process_max.unwrap_or_else(|| printed::patience(kind));
        let left = self.watcher.until.map_or(patience, |until| {
            until.saturating_duration_since(Instant::now()).min(patience)
        });
        let started: Vec<_> =
            self.printed[..processes].iter().map(|printed| printed.start(input, kind)).collect();
        // This waits for all started processes, even if another one could not be started.
        let clues: Vec<_> = started
            .into_iter()
            .map(|started| started.and_then(|started| started.wait(kind, left)))
            .collect();
        clues.into_iter().collect::<io::Result<_>>().ok()
    }

    fn read_answer(&mut self, trace: &mut Trace) -> Option<Run> {
        self.read_drawn(trace)?;
        self.shared.read_into(Area::Answer, &mut self.copy)?;
        Reader::new(&self.copy).run(&self.manifest_dir)
    }

    /// Reads the choices and spans of the run, up to its last published entry.
    fn read_drawn(&mut self, trace: &mut Trace) -> Option<()> {
        self.shared.read_into(Area::Drawn, &mut self.copy)?;
        Reader::new(&self.copy).drawn(trace)
    }

    fn dead(&mut self, answer: Answer, trace: &mut Trace) -> Run {
        let has_record = self.shared.header().records.get() > 0;
        let record = if has_record { death::read(self.shared) } else { None };
        if self.read_drawn(trace).is_none() {
            trace.clear();
        }
        let status = self.shared.header().status.load(Ordering::Acquire);
        let died = record.unwrap_or(Death::unseen(status));
        let death = match answer {
            Answer::GivenUp => return Run::Rejected,
            Answer::Killed { cause, samples } => Death { cause, stacks: samples, ..died },
            Answer::Alive | Answer::Died => died,
        };
        Run::Failed(self.names.of(death, &self.manifest_dir))
    }
}

#[cfg(test)]
impl Isolated {
    /// Runs a property of a test. Only a process forked from here is started, and it runs only the
    /// code named here. It does not need the threads of other tests.
    pub(crate) fn running(property: fn(&mut dwindle_engine::TestCase)) -> Isolated {
        let manifest_dir = env!("CARGO_MANIFEST_DIR");
        let target = Target::new(Some("isolated"), manifest_dir, property, || {});
        Isolated::new(Box::leak(Box::new(target)), 1000).unwrap()
    }
}

impl Executor for Isolated {
    fn run_input(&mut self, input: &[u8], trace: &mut Trace) -> Run {
        if self.is_drop_in {
            return self.run_raw(input.into(), trace);
        }
        self.run(trace, |writer| {
            writer.byte(op::INPUT);
            writer.string(input);
        })
    }

    fn run_candidate(
        &mut self,
        candidate: Candidate<'_>,
        choices_max: usize,
        trace: &mut Trace,
    ) -> Run {
        if let (true, [Value::Bytes(input)]) = (self.is_drop_in, candidate.values) {
            return self.run_raw(Arc::clone(input), trace);
        }
        let choices_max = choices_max.min(self.choices_max);
        self.run(trace, |writer| {
            writer.byte(op::CHOICES);
            writer.number(choices_max as u64);
            writer.byte(candidate.seed.is_some().into());
            writer.number(candidate.seed.unwrap_or(0));
            writer.values(candidate.values);
        })
    }

    fn counts_edges(&self) -> bool {
        covered::is_counted()
    }

    fn run_covering(&mut self, input: &[u8], trace: &mut Trace) -> (Run, Vec<u32>) {
        self.shared.clear(Area::Covered);
        self.shared.header().edges_wanted.store(true, Ordering::Release);
        let run = self.run_input(input, trace);
        self.shared.header().edges_wanted.store(false, Ordering::Release);
        (run, covered::read(&self.shared.read(Area::Covered)))
    }

    fn run_with_transcript(&mut self, input: &[u8], trace: &mut Trace) -> (Run, Transcript) {
        let run = self.run(trace, |writer| {
            writer.byte(op::TRANSCRIBED);
            writer.string(input);
        });
        let bytes = self.shared.read(Area::Transcript);
        let mut reader = Reader::new(&bytes);
        let mut lines = Transcript::default();
        while let Some(line) = transcript::read(&mut reader) {
            lines.push(line);
        }
        (run, lines)
    }

    fn allow_for(&mut self, runs: Runs) {
        let leaks_fail = matches!(
            runs,
            Runs::Any
                | Runs::BesideHangs
                | Runs::Again(BugKind::Leak)
                | Runs::Candidates(BugKind::Leak)
        );
        self.shared.header().leaks_fail.store(leaks_fail, Ordering::Release);
        self.shared
            .header()
            .runs_candidates
            .store(matches!(runs, Runs::Candidates(_)), Ordering::Release);
        let is_waited_for = matches!(runs, Runs::Alone | Runs::AloneWith(_));
        self.process_max = is_waited_for.then_some(limits::PROCESS_ALONE);
        self.watcher.hangs_fail = !is_waited_for
            && !matches!(runs, Runs::Awaited(_))
            && !matches!(runs, Runs::Candidates(kind) if kind != BugKind::Timeout);
        let frames_unwatched = match runs {
            Runs::Candidates(kind) => !matches!(kind, BugKind::Asan | BugKind::StackOverflow),
            _ => false,
        };
        self.shared.header().frames_unwatched.store(frames_unwatched, Ordering::Release);
        let freed = if let Runs::AloneWith(freed) = runs { freed } else { Freed::UsedAgain };
        self.shared.header().freed.store(freed as u8, Ordering::Release);
        let fork_server = self.fork_server;
        self.watcher.expects_hang = runs == Runs::Again(BugKind::Timeout);
        self.watcher.allowed =
            Allowed::of(runs, self.watcher.slow, || usage::memory_of(fork_server));
    }

    fn want_frames(&mut self, wanted: bool) {
        self.shared.header().frames_wanted.store(wanted, Ordering::Release);
    }

    fn manifest_dir(&self) -> &Path {
        &self.manifest_dir
    }

    fn can_start_afresh(&self) -> bool {
        true
    }

    fn narrow_stack(&mut self, is_narrow: bool) {
        self.shared.header().stack_is_narrow.store(is_narrow, Ordering::Release);
    }

    fn fails_as_printed(
        &mut self,
        input: &[u8],
        failed: &Failed,
        processes: usize,
    ) -> Option<bool> {
        // The executable of a test is not a target.
        if cfg!(test) {
            return None;
        }
        printed::at_once_or_alone(processes, |processes| {
            let clues = self.run_as_printed(input, failed.kind, processes)?;
            Some(clues.into_iter().all(|clue| match clue {
                None => false,
                Some(Clue::Bug(id)) => id == failed.id,
                Some(Clue::Death(death)) => {
                    self.names.of(death, &self.manifest_dir).id == failed.id
                }
                Some(Clue::Kind(kind)) => kind == failed.kind,
                Some(Clue::Unclear) => true,
            }))
        })
    }

    fn start_afresh(&mut self) {
        self.run(&mut Trace::default(), |writer| writer.byte(op::LEAVE));
    }

    fn time_elsewhere(&self) -> Duration {
        let header = self.shared.header();
        Duration::from_nanos(header.nanoseconds.load(Ordering::Acquire))
            + usage::time_of(header.worker.load(Ordering::Acquire))
    }

    fn has_lost_worker(&self) -> bool {
        self.has_lost_worker
    }

    fn waited_elsewhere(&self) -> Duration {
        let header = self.shared.header();
        let known = priority::turns_of(self.fork_server)
            + priority::turns_of(header.worker.load(Ordering::Acquire));
        let died = Duration::from_nanos(header.nanoseconds.load(Ordering::Acquire));
        // This assumes that the dead workers waited for the same share of their time as the living
        // ones.
        known.waited + died.mul_f64(1.0 / known.share().max(0.001) - 1.0)
    }
}

impl Drop for Isolated {
    fn drop(&mut self) {
        // The workers die with the fork server.
        children::kill(self.fork_server);
        children::wait_for(self.fork_server);
    }
}

#[cfg(test)]
mod tests;

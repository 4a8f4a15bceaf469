//! The executor that the rest of the harness uses. Its runs may die.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dwindle_corpus::BugKind;
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::shrink::Candidate;

use super::death;
use super::fork_server::{self, Prints, Requests};
use super::printed::{self, Ended, Printed};
use super::shared::{Area, Shared};
use super::transcript;
use super::watcher::{Answer, Watcher};
use super::wire::{Reader, Writer};
use super::worker::{self, end, op};
use crate::execution::{Executor, Freed, InProcess, Run, Runs, Transcript};
use crate::failure::deaths::{Cause, Death, Names};
use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
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
    /// Whether a run that takes too long fails. Such a run is only rejected while another failure
    /// is minimized, and while an input runs alone.
    hangs_fail: bool,
    /// Whether the target takes its input raw. Its only draw is then the input, however the run
    /// ends.
    is_drop_in: bool,
    /// Whether the last run ended its worker.
    has_lost_worker: bool,
    names: Names,
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
            hangs_fail: true,
            is_drop_in: target.is_drop_in(),
            has_lost_worker: false,
            names: Names::default(),
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

    /// Runs an input in new processes at the same time. `None` if a process cannot be started.
    fn run_as_printed(
        &mut self,
        input: &[u8],
        kind: BugKind,
        processes: usize,
    ) -> Option<Vec<Ended>> {
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
        let ended: Vec<_> = started
            .into_iter()
            .map(|started| started.and_then(|started| started.wait(kind, left)))
            .collect();
        ended.into_iter().collect::<io::Result<_>>().ok()
    }

    fn read_answer(&mut self, trace: &mut Trace) -> Option<Run> {
        self.read_drawn(trace)?;
        self.shared.read_into(Area::Answer, &mut self.copy)?;
        let mut reader = Reader::new(&self.copy);
        let run = match reader.byte()? {
            end::OVERRUN => Run::Overrun,
            end::REJECTED => Run::Rejected,
            end::PASSED => Run::Passed,
            end::MISUSED => Run::Misused(Misuse(reader.text()?)),
            _ => Run::Failed(reader.failed(&self.manifest_dir)?),
        };
        Some(run)
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
            Answer::Killed { cause: Cause::Time, .. } if !self.hangs_fail => return Run::Rejected,
            Answer::Killed { cause, samples } => Death { cause, stacks: samples, ..died },
            Answer::Alive | Answer::Died => died,
        };
        Run::Failed(self.names.of(death, &self.manifest_dir))
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
        self.hangs_fail =
            !is_waited_for && !matches!(runs, Runs::Candidates(kind) if kind != BugKind::Timeout);
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
            let ended = self.run_as_printed(input, failed.kind, processes)?;
            Some(ended.into_iter().all(|ended| match ended {
                Ended::Quietly => false,
                Ended::Named(id) => id == failed.id,
                Ended::Died(death) => self.names.of(death, &self.manifest_dir).id == failed.id,
                Ended::OfKind(kind) => kind == failed.kind,
                Ended::Somehow => true,
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
mod tests {
    use dwindle_engine::TestCase;

    use super::*;
    use crate::isolation::watcher::LOOK;
    use crate::system::process;

    #[test]
    fn a_death_without_a_record_is_minimized() {
        use dwindle_corpus::Status;
        use dwindle_engine::generators as g;

        use crate::limits::Limits;
        use crate::minimize::{Found, minimize};
        let mut executor = isolated(|tc| {
            if tc.draw(g::vec(g::integers(0..=255u8))).contains(&77) {
                // SAFETY: the system call affects only the process of this run.
                unsafe { libc::raise(libc::SIGKILL) };
            }
        });
        let input = [1, 5, 1, 77, 1, 6, 0];
        let mut trace = Trace::default();
        let Run::Failed(failed) = executor.run_input(&input, &mut trace) else {
            panic!("it has to die")
        };
        // The run died before it drew the end of the list.
        assert_eq!(trace.len(), input.len());
        let minimized = minimize(
            &mut executor,
            Found { input: &input, trace: &trace, failed: &failed, variant: None },
            Limits::default(),
            &mut |_, _| {},
        );
        assert_eq!(
            (minimized.status, minimized.draws),
            (Status::Minimized, vec!["[77]".to_owned()])
        );
    }

    #[test]
    fn memory_from_before_a_run_does_not_count_for_the_run() {
        // The process writes to the memory, so that the system has to provide it.
        let had =
            std::hint::black_box(vec![1_u8; (limits::MEMORY_OF_BLOW_UPS + (64 << 20)) as usize]);
        let mut executor = isolated(|_| std::thread::sleep(LOOK * 5));
        executor.allow_for(Runs::Candidates(BugKind::Oom));
        let run = executor.run_input(&[], &mut Trace::default());
        assert!(matches!(run, Run::Passed), "{run:?}");
        drop(had);
    }

    /// Only a process forked from here is started, and it runs only the code named here. It does
    /// not need the threads of other tests.
    fn isolated(property: fn(&mut TestCase)) -> Isolated {
        let target = Box::leak(Box::new(Target::new(
            Some("isolated"),
            env!("CARGO_MANIFEST_DIR"),
            property,
            || {},
        )));
        Isolated::new(target, 1000).unwrap()
    }

    /// Takes longer than the short time that candidates get.
    #[inline(never)]
    fn work_long() {
        let began = usage::time_of(process::id());
        while usage::time_of(process::id()) < began + Duration::from_millis(700) {}
    }

    #[inline(never)]
    fn spin() {
        loop {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn candidates_of_a_late_hang_get_the_time_of_the_hang() {
        use dwindle_engine::generators as g;
        let mut executor = isolated(|tc| {
            let byte = tc.draw(g::integers(0..=255u8));
            work_long();
            if byte > 9 {
                spin();
            }
        });
        let mut trace = Trace::default();
        let hangs =
            |run: &Run| matches!(run, Run::Failed(failed) if failed.kind == BugKind::Timeout);
        // In the short time the input fails elsewhere, in the work before the hang.
        let run = executor.run_again(&[77], BugKind::Timeout, &|_| false, &mut trace);
        assert!(hangs(&run), "{run:?}");
        executor.allow_for(Runs::Candidates(BugKind::Timeout));
        let run = executor.run_input(&[10], &mut trace);
        assert!(hangs(&run), "{run:?}");
        let run = executor.run_input(&[9], &mut trace);
        assert!(matches!(run, Run::Passed), "{run:?} within {:?}", executor.watcher.allowed);
        // A hang that shows at once keeps its candidates short.
        executor.run_again(&[77], BugKind::Timeout, &|_| true, &mut trace);
        executor.allow_for(Runs::Candidates(BugKind::Timeout));
        let run = executor.run_input(&[9], &mut trace);
        assert!(hangs(&run), "{run:?} within {:?}", executor.watcher.allowed);
    }

    #[test]
    fn at_the_deadline_only_an_expected_hang_fails() {
        let mut executor = isolated(|_| spin());
        executor.give_up_at(Some(Instant::now()));
        for (runs, fails) in [
            (Runs::Any, false),
            (Runs::Again(BugKind::Panic), false),
            (Runs::Again(BugKind::Timeout), true),
        ] {
            executor.allow_for(runs);
            let run = executor.run_input(&[], &mut Trace::default());
            assert_eq!(
                matches!(&run, Run::Failed(failed) if failed.kind == BugKind::Timeout),
                fails,
                "{runs:?}: {run:?}"
            );
            assert_eq!(matches!(run, Run::Rejected), !fails, "{runs:?}");
        }
    }

    #[test]
    fn a_drop_in_target_draws_its_input_for_every_outcome() {
        fn target(tc: &mut TestCase) {
            match tc.rest_of_input().first() {
                Some(1) => panic!("one"),
                Some(2) => std::process::abort(),
                // SAFETY: the system call affects only the process of this run.
                Some(3) => unsafe {
                    libc::raise(libc::SIGKILL);
                },
                _ => {}
            }
        }
        let mut executor = Isolated::new(
            Box::leak(Box::new(Target::drop_in(
                Some("drop_in"),
                env!("CARGO_MANIFEST_DIR"),
                target,
                || {},
            ))),
            1000,
        )
        .unwrap();
        for (byte, kind) in [
            (0, None),
            (1, Some(BugKind::Panic)),
            (2, Some(BugKind::Abort)),
            (3, Some(BugKind::Oom)),
            (0, None),
        ] {
            let input: Arc<[u8]> = [byte, 7, 255].into();
            for as_choices in [false, true] {
                let mut trace = Trace::default();
                let run = if as_choices {
                    let values = [Value::Bytes(Arc::clone(&input))];
                    executor.run_candidate(Candidate::replaying(&values), 1, &mut trace)
                } else {
                    executor.run_input(&input, &mut trace)
                };
                let failed = if let Run::Failed(failed) = &run { Some(failed.kind) } else { None };
                assert_eq!((failed, trace.raw_input()), (kind, Some(&input)), "{run:?}");
            }
        }
    }

    #[test]
    fn the_transcript_holds_the_questions_that_a_function_was_asked() {
        use dwindle_engine::{any, generators as g};
        let mut executor = isolated(|tc| {
            let f: g::Fun<u8, u8> = tc.draw(any());
            tc.note("between");
            let byte = tc.draw(g::integers(0..=255u8));
            f(byte);
            assert!(byte < 9);
        });
        for byte in [7, 9] {
            let (run, transcript) =
                executor.run_with_transcript(&[3, 1, 4, 0, byte], &mut Trace::default());
            assert_eq!(matches!(run, Run::Failed(_)), byte == 9, "{run:?}");
            assert_eq!(
                transcript.draws(),
                [format!("{{ {byte} => 4, _ => 3 }}"), byte.to_string()]
            );
            assert_eq!(transcript.notes(), ["between"]);
        }
    }

    #[test]
    fn a_run_that_kills_its_process_returns_its_draws() {
        use dwindle_engine::generators as g;
        let mut executor = isolated(|tc| {
            let byte = tc.draw(g::integers(0..=255u8));
            match byte {
                1 => std::process::abort(),
                2 => panic!("two"),
                // SAFETY: the write is invalid on purpose, because the test needs a fault.
                3 => unsafe { std::ptr::null_mut::<u32>().write_volatile(1) },
                4 => std::process::exit(0),
                _ => {}
            }
        });
        let mut trace = Trace::default();
        for round in 0..3 {
            for (byte, kind) in [
                (0, None),
                (1, Some(BugKind::Abort)),
                (2, Some(BugKind::Panic)),
                (3, Some(BugKind::Segv)),
                (4, Some(BugKind::Exit)),
            ] {
                let run = executor.run_input(&[byte], &mut trace);
                let failed = if let Run::Failed(failed) = &run { Some(failed.kind) } else { None };
                assert_eq!(failed, kind, "{run:?} of {byte} in round {round}");
                assert_eq!(trace.choices[0].value, Value::Integer(i128::from(byte)));
                assert_eq!(
                    executor.run_with_transcript(&[byte], &mut Trace::default()).1.draws(),
                    [byte.to_string()]
                );
            }
        }
    }
}

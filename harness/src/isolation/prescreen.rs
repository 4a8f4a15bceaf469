//! Runs an input in a worker first, to see whether the input kills the worker. Where many inputs
//! kill, the death of a worker costs less than the death of the fuzzer.
//!
//! The prescreen relies on libFuzzer: if `LLVMFuzzerTestOneInput` returns -1, libFuzzer does not
//! keep the input and does not read its counters. The test is `libfuzzer_ignores_the_counters_of_rejected_inputs`
//! in `xtask/tests/end_to_end/libfuzzer.rs`. If the fork server is gone, the fuzzer runs without
//! the prescreen. The switch is `prescreen`. Without it, each crashing input kills the fuzzer.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dwindle_corpus::BugId;
use dwindle_engine::internals::Outcome;

use super::bell::Waiter;
use super::death;
use super::fork_server::{self, Prints, Requests};
use super::shared::{Area, Shared};
use super::wire::Reader;
use super::worker::{self, op};
use crate::execution::InProcess;
use crate::failure::deaths::Death;
use crate::failure::panics::Scope;
use crate::switches::Switch;
use crate::system::children;
use crate::target::Target;

/// The name of the fork server in process lists.
const NAME: &[u8; 16] = b"dwindle-screen\0\0";
/// How long a client waits for an answer before it checks whether the fork server is alive.
const LOOK: Duration = Duration::from_millis(20);

/// What happened to an input in a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prescreened {
    /// The worker survived the run. A failure is a panic.
    Ran(Outcome<BugId, ()>),
    /// The worker died. `status` is the result of `waitpid`, for a worker that wrote no record.
    Died { has_record: bool, status: libc::c_int },
    /// No worker could answer.
    Unknown,
}

/// The worker, and the facts known about its last run. The process that makes it may use it, and so
/// may processes that are forked from that one. Only one process may use it at a time.
#[derive(Clone)]
pub(crate) struct Prescreen {
    shared: &'static Shared<Requests>,
    target: &'static Target,
    choices_max: usize,
    waiter: Waiter,
    /// Whether the worker is known to be alive.
    is_ready: bool,
}

impl Prescreen {
    /// Prepares the memory that all clones share.
    ///
    /// Returns an error if the switch is off. The fuzzer then runs without the prescreen.
    pub(crate) fn new(target: &'static Target, choices_max: usize) -> io::Result<Prescreen> {
        if !Switch::Prescreen.is_on() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let shared: &'static Shared<Requests> = Shared::new()?;
        // A use of a returned frame shows itself where the input runs next. Looking for it here
        // takes time at each panic.
        shared.header().frames_unwatched.store(true, Ordering::Release);
        Ok(Prescreen { shared, target, choices_max, waiter: Waiter::default(), is_ready: false })
    }

    /// Forks the fork server, if it does not exist yet. Call it in the process that made the
    /// prescreen. The target must never have run there, and it must have one thread. The first
    /// request starts the first worker.
    pub(crate) fn start(&self) -> io::Result<()> {
        if self.fork_server() != 0 {
            return Ok(());
        }
        let (shared, target) = (self.shared, self.target);
        let fork_server = fork_server::start(shared, NAME, Prints::Lost, |number| {
            target.initialize();
            let mut executor = InProcess::new(
                target.property(),
                Scope::Process,
                target.manifest_dir(),
                self.choices_max,
            );
            worker::work(shared, &mut executor, number)
        })?;
        shared.header().fork_server.store(fork_server, Ordering::Release);
        Ok(())
    }

    /// The process id of the fork server, or 0 before the start.
    fn fork_server(&self) -> libc::pid_t {
        self.shared.header().fork_server.load(Ordering::Acquire)
    }

    /// Runs the target on `input`. The run has no time limit.
    pub(crate) fn run(&mut self, input: &[u8]) -> Prescreened {
        if !self.is_ready() {
            return Prescreened::Unknown;
        }
        let screened = self.ask(op::UNRECORDED, input);
        self.is_ready = !matches!(screened, Prescreened::Died { .. });
        screened
    }

    /// Waits until a worker answers, and returns whether one does. A worker that dies before its
    /// first run says nothing about the inputs.
    pub(crate) fn is_ready(&mut self) -> bool {
        self.is_ready =
            self.is_ready || self.ask(op::NOTHING, b"") == Prescreened::Ran(Outcome::Passed);
        self.is_ready
    }

    fn ask(&mut self, op: u8, input: &[u8]) -> Prescreened {
        let request = self.shared.request(|writer| {
            writer.byte(op);
            writer.string(input);
        });
        let (Some(request), header) = (request, self.shared.header()) else {
            return Prescreened::Unknown;
        };
        let before = request.wrapping_sub(1);
        self.waiter.wait(&header.answer, before, Some(LOOK));
        while header.answer.get() != request {
            if !self.is_alive() {
                return Prescreened::Unknown;
            }
            header.answer.wait(before, Some(LOOK));
        }
        if header.died.load(Ordering::Acquire) {
            return Prescreened::Died {
                has_record: header.records.get() > 0,
                status: header.status.load(Ordering::Acquire),
            };
        }
        let run = Reader::new(&self.shared.read(Area::Answer)).run_in_short();
        run.map_or(Prescreened::Unknown, Prescreened::Ran)
    }

    /// Whether the fork server still exists, or was not needed so far.
    pub(crate) fn is_alive(&self) -> bool {
        self.fork_server() == 0 || children::is_there(self.fork_server())
    }

    // The methods below are for the process that made the prescreen.

    /// The record of the worker that died last, if it wrote one.
    pub(crate) fn record(&self) -> Option<Death> {
        death::read(self.shared)
    }

    /// The process that runs the target, or 0 if there is no such process.
    pub(crate) fn worker(&self) -> libc::pid_t {
        self.shared.header().worker.load(Ordering::Acquire)
    }

    /// Ends a run if no process waits for its answer any longer.
    pub(crate) fn settle(&self) {
        let header = self.shared.header();
        loop {
            let answer = header.answer.get();
            if answer == header.request.get() || children::has_ended(self.fork_server()) {
                return;
            }
            children::kill(self.worker());
            header.answer.wait(answer, Some(LOOK));
        }
    }

    /// Ends the worker and the fork server.
    pub(crate) fn end(&self) {
        children::end_child(self.fork_server());
    }
}

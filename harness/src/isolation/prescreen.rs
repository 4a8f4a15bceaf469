//! Running an input in a worker first, to see whether it kills that: where many inputs kill, a worker costs less than the process that asks.
//!
//! Relies on libFuzzer: an input for which `LLVMFuzzerTestOneInput` returns -1 is not kept, and its counters are not looked at. The
//! test is `what_is_rejected_is_not_looked_at` in `xtask/tests/end_to_end/properties.rs`. Where the process that forks workers is
//! gone, the fuzzer does without. The switch is `prescreen`; without it each input that kills, kills the fuzzer.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dwindle_corpus::BugId;

use super::bell::Waiter;
use super::death;
use super::fork_server::{self, Prints, Requests};
use super::shared::{Area, Shared};
use super::wire::Reader;
use super::worker::{self, end, op};
use crate::execution::InProcess;
use crate::failure::deaths::Death;
use crate::failure::panics::Scope;
use crate::switches::Switch;
use crate::system::children;
use crate::target::Target;

/// How the fork server is listed.
const NAME: &[u8; 16] = b"dwindle-screen\0\0";
/// How long an answer is waited for before anybody asks whether there can be one.
const LOOK: Duration = Duration::from_millis(20);

/// What became of an input in a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prescreened {
    Survived,
    /// The run made no full test case, and was given up.
    Rejected,
    /// It panicked, which is this bug.
    Failed(BugId),
    /// `status` is what `waitpid` says of it, if it left no record.
    Died {
        has_record: bool,
        status: libc::c_int,
    },
    /// There are no workers any longer.
    Unknown,
}

/// The worker, and what is known of its last run. The process that makes it and those forked from that one may use it, one at a time.
#[derive(Clone)]
pub(crate) struct Prescreen {
    shared: &'static Shared<Requests>,
    waiter: Waiter,
    fork_server: libc::pid_t,
    /// Whether the worker is known to have come to life.
    is_ready: bool,
}

impl Prescreen {
    /// Forks the fork server; so this belongs before the target runs for the first time, and before any thread. There is no worker before the first request.
    ///
    /// An error if the switch is off: the fuzzer does without.
    pub(crate) fn new(target: &'static Target, choices_max: usize) -> io::Result<Prescreen> {
        if !Switch::Prescreen.is_on() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let shared = Shared::new()?;
        let fork_server = fork_server::start(shared, NAME, Prints::Lost, |number| {
            target.initialize();
            let mut executor = InProcess::new(target.property(), Scope::Process, target.manifest_dir(), choices_max);
            worker::work(shared, &mut executor, number)
        })?;
        // A frame that is used after its function returned shows itself where the input is run next; to look for that takes time at each panic.
        shared.header().frames_unwatched.store(true, Ordering::Release);
        Ok(Prescreen { shared, waiter: Waiter::default(), fork_server, is_ready: false })
    }

    /// Runs the target on `input`. It may take as long as it likes.
    pub(crate) fn run(&mut self, input: &[u8]) -> Prescreened {
        if !self.is_ready() {
            return Prescreened::Unknown;
        }
        let screened = self.ask(op::UNRECORDED, input);
        self.is_ready = !matches!(screened, Prescreened::Died { .. });
        screened
    }

    /// Waits until there is a worker that answers: whether there is. One that dies before it has run anything says nothing of the inputs.
    pub(crate) fn is_ready(&mut self) -> bool {
        self.is_ready = self.is_ready || self.ask(op::NOTHING, b"") == Prescreened::Survived;
        self.is_ready
    }

    fn ask(&mut self, op: u8, input: &[u8]) -> Prescreened {
        let request = self.shared.request(|writer| {
            writer.byte(op);
            writer.string(input);
        });
        let (Some(request), header) = (request, self.shared.header()) else { return Prescreened::Unknown };
        let before = request.wrapping_sub(1);
        self.waiter.wait(&header.answer, before, Some(LOOK));
        while header.answer.get() != request {
            if !self.is_alive() {
                return Prescreened::Unknown;
            }
            header.answer.wait(before, Some(LOOK));
        }
        if header.died.load(Ordering::Acquire) {
            return Prescreened::Died { has_record: header.records.get() > 0, status: header.status.load(Ordering::Acquire) };
        }
        self.read_answer().unwrap_or(Prescreened::Unknown)
    }

    /// Whether there is still somebody to fork workers.
    pub(crate) fn is_alive(&self) -> bool {
        children::is_there(self.fork_server)
    }

    fn read_answer(&self) -> Option<Prescreened> {
        let answer = self.shared.read(Area::Answer);
        let mut reader = Reader::new(&answer);
        Some(match reader.byte()? {
            end::OVERRUN | end::REJECTED => Prescreened::Rejected,
            // The fuzzer runs wrong use again, and reports it.
            end::PASSED | end::MISUSED => Prescreened::Survived,
            _ => Prescreened::Failed(BugId::from_bits(reader.number()?)),
        })
    }

    // What the process does that made it.

    /// The last moments of the worker that died last, if it left a record.
    pub(crate) fn record(&self) -> Option<Death> {
        death::read(self.shared)
    }

    /// The process that runs the target; 0 if there is none.
    pub(crate) fn worker(&self) -> libc::pid_t {
        self.shared.header().worker.load(Ordering::Acquire)
    }

    /// Ends a run that nobody waits for any longer.
    pub(crate) fn settle(&self) {
        let header = self.shared.header();
        loop {
            let answer = header.answer.get();
            if answer == header.request.get() || children::has_ended(self.fork_server) {
                return;
            }
            children::kill(self.worker());
            header.answer.wait(answer, Some(LOOK));
        }
    }

    /// Ends the worker and the fork server.
    pub(crate) fn end(&self) {
        children::end_child(self.fork_server);
    }
}

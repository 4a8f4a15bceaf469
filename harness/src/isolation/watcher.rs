//! Waits for the answer of a worker, and ends a worker that takes too much time or memory.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::bell::Waiter;
use super::death;
use super::fork_server::Requests;
use super::shared::Shared;
use crate::failure::deaths::DeathCause;
use crate::limits::Allowed;
use crate::system::{children, process, usage};
use crate::{environment, events, exit};

/// How long the client waits for an answer before it checks the worker. Further checks have the
/// same interval.
pub(super) const LOOK: Duration = Duration::from_millis(20);
/// How many stack samples are taken of a run that takes too long, and the interval between two of
/// them.
const SAMPLES: u32 = 8;
const SAMPLE_APART: Duration = Duration::from_millis(5);
/// The time limit for one sample. The second limit is for a worker that waits for the processor.
const SAMPLE_WAIT: Duration = Duration::from_millis(50);
const SAMPLE_WAIT_BUSY: Duration = Duration::from_secs(3);

/// How a request was answered.
pub(super) enum Answer {
    /// The worker answered.
    Alive,
    /// The worker died by itself.
    Died,
    /// The worker took too much and was killed. The samples are its stacks.
    Killed { cause: DeathCause, samples: Vec<Vec<usize>> },
    /// The worker was killed at the deadline, or because a hang is not a failure here.
    GivenUp,
}

/// Why a worker is stopped.
enum Stop {
    TooMuch(DeathCause),
    GivenUp,
}

/// The client's side of a wait.
pub(super) struct Watcher {
    shared: &'static Shared<Requests>,
    fork_server: libc::pid_t,
    waiter: Waiter,
    pub(super) allowed: Allowed,
    /// How long the last run took, if the client checked it. Otherwise zero.
    pub(super) slow: Duration,
    /// The time at which runs are given up.
    pub(super) until: Option<Instant>,
    /// Whether a run that lasts until the deadline counts as a hang.
    pub(super) expects_hang: bool,
    /// Whether a run that takes too long fails. Such a run is given up while another failure is
    /// minimized, while an input runs alone, and while a fuzzer waits.
    pub(super) hangs_fail: bool,
}

impl Watcher {
    pub(super) fn new(shared: &'static Shared<Requests>, fork_server: libc::pid_t) -> Watcher {
        let allowed = Allowed::at_first();
        Watcher {
            shared,
            fork_server,
            waiter: Waiter::default(),
            allowed,
            slow: Duration::ZERO,
            until: None,
            expects_hang: false,
            hangs_fail: true,
        }
    }

    /// Waits for the answer to a request.
    pub(super) fn wait(&mut self, request: u32) -> Answer {
        let header = self.shared.header();
        self.waiter.wait(&header.answer, request.wrapping_sub(1), Some(LOOK));
        self.slow = Duration::ZERO;
        let killed = if header.answer.get() == request { None } else { self.watch(request) };
        if header.died.load(Ordering::Acquire) {
            killed.unwrap_or(Answer::Died)
        } else {
            Answer::Alive
        }
    }

    /// Checks the worker again and again until it answers. Returns why the worker was killed, if
    /// it was.
    fn watch(&mut self, request: u32) -> Option<Answer> {
        let header = self.shared.header();
        let before = request.wrapping_sub(1);
        let (mut busy, mut idle) = (LOOK, Duration::ZERO);
        let mut cases = header.cases.load(Ordering::Acquire);
        let mut worker = header.worker.load(Ordering::Acquire);
        let mut time = usage::time_of(worker);
        let mut killed = None;
        loop {
            let began = Instant::now();
            header.answer.wait(before, Some(LOOK));
            self.slow = busy + idle;
            if header.answer.get() == request {
                return killed;
            }
            let now = header.worker.load(Ordering::Acquire);
            if now != worker {
                // The last worker died of the previous request, at the same moment as this request
                // was made.
                (worker, busy, idle) = (now, Duration::ZERO, Duration::ZERO);
                time = usage::time_of(worker);
            }
            let cases_now = header.cases.load(Ordering::Acquire);
            if cases_now != cases {
                // Each case has its own time limit.
                (cases, busy, idle) = (cases_now, Duration::ZERO, Duration::ZERO);
            }
            let time_now = usage::time_of(worker);
            let took = time_now.saturating_sub(time);
            time = time_now;
            busy += took;
            // A worker that waits for the processor is not idle.
            if took.is_zero() && !usage::wants_the_processor(worker) {
                idle += began.elapsed();
            }
            self.look_after_the_fork_server();
            if killed.is_none()
                && worker != 0
                && let Some(stop) = self.stop(worker, busy, idle)
            {
                let answer = match stop {
                    Stop::TooMuch(cause) => Answer::Killed {
                        samples: self
                            .samples(worker, if cause == DeathCause::Time { SAMPLES } else { 1 }),
                        cause,
                    },
                    Stop::GivenUp => Answer::GivenUp,
                };
                killed = Some(answer);
                children::kill(worker);
            }
        }
    }

    /// Why a worker must be stopped that was busy and idle for these times, if it must.
    fn stop(&self, worker: libc::pid_t, busy: Duration, idle: Duration) -> Option<Stop> {
        let is_late = self.until.is_some_and(|until| Instant::now() >= until);
        let is_slow = busy > self.allowed.busy || idle > self.allowed.idle;
        if usage::memory_of(worker) > self.allowed.memory {
            Some(Stop::TooMuch(DeathCause::Memory))
        } else if is_slow && self.hangs_fail || is_late && self.expects_hang {
            Some(Stop::TooMuch(DeathCause::Time))
        } else {
            (is_slow || is_late).then_some(Stop::GivenUp)
        }
    }

    /// Asks the worker several times where it is. Returns the stacks.
    fn samples(&self, worker: libc::pid_t, count: u32) -> Vec<Vec<usize>> {
        let header = self.shared.header();
        let mut samples = Vec::new();
        for _ in 0..count {
            let before = header.records.get();
            children::signal(worker, death::sample_signal());
            let asked = Instant::now();
            while header.records.get() == before {
                let wait =
                    if usage::wants_the_processor(worker) { SAMPLE_WAIT_BUSY } else { SAMPLE_WAIT };
                if asked.elapsed() >= wait {
                    break;
                }
                header.records.wait(before, Some(LOOK));
            }
            if header.records.get() == before {
                break;
            }
            samples.extend(death::read(self.shared).into_iter().flat_map(|record| record.stacks));
            std::thread::sleep(SAMPLE_APART);
        }
        samples
    }

    /// Exits if the fork server is dead. A target that kills its parent must not leave this process
    /// waiting.
    fn look_after_the_fork_server(&self) {
        if children::has_ended(self.fork_server) {
            events::error(
                "the process that runs the target was killed, by the target or from outside",
            );
            process::leave(if environment::is_member() {
                exit::member::LOST_FORK_SERVER
            } else {
                exit::ENVIRONMENT
            });
        }
    }
}

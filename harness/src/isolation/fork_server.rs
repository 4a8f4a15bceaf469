//! The process that forks workers. It is a fork of its parent, made before the target runs for the
//! first time.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use super::bell::Bell;
use super::shared::{Area, Header, Shared};
use super::stack::StackRoom;
use super::wire::Writer;
use super::{sanitizer, traces, walk};
use crate::execution::Rejections;
use crate::system::children::kill;
use crate::system::fork::fork;
use crate::system::process::{self, die_with};
use crate::system::{children, offspring};

/// The numbers by which client, fork server and worker communicate.
#[repr(C)]
pub(super) struct Requests {
    /// The number of the last request.
    pub(super) request: Bell,
    /// The number of the last request that was answered. The worker answers it, or the fork server
    /// if the worker died.
    pub(super) answer: Bell,
    /// Whether the request may run without watching the frames of returned functions. The request
    /// then looks for another kind of bug.
    pub(super) frames_unwatched: AtomicBool,
    /// Whether the answer is that the worker died.
    pub(super) died: AtomicBool,
    /// How the worker died, as `waitpid` returns it.
    pub(super) status: AtomicI32,
    /// The process id of the worker that takes requests now.
    pub(super) worker: AtomicI32,
    /// The process id of the fork server of a prescreen. 0 before its start.
    pub(super) fork_server: AtomicI32,
    /// The number of the worker that takes requests now, or that takes them as soon as it lives.
    pub(super) turn: Bell,
    /// The processor time of the workers that died, in nanoseconds.
    pub(super) nanoseconds: AtomicU64,
    /// How many records of a run's last moments were written since the request was made.
    pub(super) records: Bell,
    /// How many cases of a random run have begun since its request was made.
    pub(super) cases: AtomicU64,
    /// The runs of random cases and of inputs that were rejected.
    pub(super) rejections: Rejections,
    /// Whether the answer for a panic includes its frames.
    pub(super) frames_wanted: AtomicBool,
    /// What happens to memory that the target frees: a [`Freed`](crate::execution::Freed).
    pub(super) freed: AtomicU8,
    /// Whether the target has a smaller stack than other processes, instead of a larger one.
    pub(super) stack_is_narrow: AtomicBool,
    /// Whether the runs are those of candidates.
    pub(super) runs_candidates: AtomicBool,
    /// Whether a leak is a failure.
    pub(super) leaks_fail: AtomicBool,
    /// Whether the run writes which edges it covers.
    pub(super) edges_wanted: AtomicBool,
}

/// What happens to the output of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prints {
    /// The output is discarded. The output of a thousand candidates would hide the client's own
    /// output.
    Lost,
    /// The output goes to the same place as the client's own output.
    Kept,
}

// SAFETY: all fields are atomic numbers. Zeros are valid, and the numbers are few.
unsafe impl Header for Requests {}

/// The longest delay after a lost signal. A signal is lost if it arrives just before the wait that
/// it should end.
const LOOK: Duration = Duration::from_millis(20);

/// After this many deaths of workers, the fork server kills children that the target forked and
/// left behind. Looking for these children takes a large part of the time of a death.
const DEATHS_TO_A_LOOK: u32 = 16;

impl Shared<Requests> {
    /// Makes a request with the bytes that `write` writes, and returns its number. `None` if the
    /// bytes do not fit.
    pub(super) fn request(&'static self, write: impl FnOnce(&mut Writer<'_>)) -> Option<u32> {
        // The client resets this, not the worker: a worker that dies before it begins writes no
        // record.
        self.header().records.set(0);
        // SAFETY: no request is open, so the worker does not use the area.
        let mut writer = unsafe { self.write(Area::Request) };
        write(&mut writer);
        if !writer.publish() {
            return None;
        }
        let request = self.header().request.get().wrapping_add(1);
        self.header().request.set(request);
        Some(request)
    }
}

/// Forks the fork server, and returns its process id. The fork server appears in process lists
/// under `name`. `work` is the whole life of a worker, and receives the worker's number.
///
/// The caller should have only one thread. Other threads do not exist in the fork, and their locks
/// stay locked there.
pub(super) fn start(
    shared: &Shared<Requests>,
    name: &[u8; 16],
    prints: Prints,
    work: impl Fn(u32),
) -> io::Result<libc::pid_t> {
    // This happens before the fork. If another thread holds a lock of the loader, that lock stays
    // locked in the fork.
    walk::prepare();
    let client = process::id();
    let name_of_workers = process::name();
    match fork()? {
        0 => {
            die_with(client);
            process::rename(name);
            sanitizer::watch_returned_frames(true);
            traces::disable();
            raise(shared, prints, &|number| {
                process::rename(&name_of_workers);
                work(number);
            })
        }
        fork_server => Ok(fork_server),
    }
}

/// Forks one worker after another, from the first request on. Answers for a worker that died of a
/// request without an answer.
///
/// After the first death a second worker waits for its turn. Forking it and clearing away the dead
/// worker takes longer than most runs.
fn raise(shared: &Shared<Requests>, prints: Prints, work: &impl Fn(u32)) -> ! {
    // SAFETY: the system calls affect only this process. The client handles Ctrl-C. The core limit
    // disables core dumps in the workers.
    let fork_server = unsafe {
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_end_of_a_child as extern "C" fn(libc::c_int) as usize;
        libc::sigaction(libc::SIGCHLD, &raw const action, std::ptr::null_mut());
        libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
        if prints == Prints::Lost {
            let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
            libc::dup2(nowhere, libc::STDOUT_FILENO);
            libc::dup2(nowhere, libc::STDERR_FILENO);
        }
        libc::getpid()
    };
    children::adopt_orphans();
    let header = shared.header();
    while header.request.get() == 0 {
        header.request.wait(0, None);
    }
    // The living workers with their numbers: the worker whose turn it is, and the next one.
    let mut alive: Vec<(u32, libc::pid_t)> = Vec::new();
    let mut newest = None;
    let mut deaths = 0_u32;
    loop {
        let turn = header.turn.get();
        let spare = (turn > 0 && crate::switches::Switch::SpareWorker.is_on()).then_some(turn + 1);
        for number in [Some(turn), spare].into_iter().flatten() {
            // A worker that dies before its turn is not replaced until its turn comes, because the
            // new one would die too.
            let is_missing = alive.iter().all(|(alive, _)| *alive != number)
                && (number == turn || newest.is_none_or(|newest| newest < number));
            if is_missing && let Some(worker) = fork_worker(number, fork_server, work) {
                alive.push((number, worker));
                newest = newest.max(Some(number));
            }
        }
        if let Some((_, worker)) = alive.iter().find(|(number, _)| *number == turn) {
            header.worker.store(*worker, Ordering::Release);
        }
        let Some((dead, status, time)) = reap() else {
            // The wait ends when a worker hands over, and when a worker dies.
            header.turn.wait(turn, Some(LOOK));
            continue;
        };
        header.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::AcqRel);
        let Some(index) = alive.iter().position(|(_, worker)| *worker == dead) else { continue };
        let (number, _) = alive.swap_remove(index);
        deaths = deaths.wrapping_add(1);
        if deaths.is_multiple_of(DEATHS_TO_A_LOOK) {
            for child in offspring::children(fork_server) {
                if alive.iter().all(|(_, worker)| *worker != child) {
                    kill(child);
                }
            }
        }
        if header.turn.get() == number {
            header.worker.store(0, Ordering::Release);
            header.status.store(status, Ordering::Release);
            header.hand_over(number);
        }
    }
}

/// Does nothing. The signal itself interrupts the wait.
extern "C" fn on_end_of_a_child(_signal: libc::c_int) {}

/// `None` if there are too many processes, or too little memory. The shortage may pass, so this
/// function first waits 10 ms.
fn fork_worker(number: u32, fork_server: libc::pid_t, work: &impl Fn(u32)) -> Option<libc::pid_t> {
    match fork() {
        Ok(0) => {
            die_with(fork_server);
            // SAFETY: the call restores the default, which a target finds in every process.
            unsafe {
                libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            }
            super::threads::see();
            work(number);
            // SAFETY: the call ends the process, without the exit handlers of the client.
            unsafe { libc::_exit(0) }
        }
        Ok(worker) => Some(worker),
        Err(_) => {
            std::thread::sleep(Duration::from_millis(10));
            None
        }
    }
}

impl Requests {
    /// How much stack the target gets.
    pub(super) fn room(&self) -> StackRoom {
        StackRoom {
            is_narrow: self.stack_is_narrow.load(Ordering::Acquire),
            is_for_candidates: self.runs_candidates.load(Ordering::Acquire),
        }
    }

    /// Ends the turn of the worker with this number. If a request is open, the worker died of it.
    /// Safe in a signal handler.
    pub(super) fn hand_over(&self, number: u32) {
        let request = self.request.get();
        if self.answer.get() != request {
            self.died.store(true, Ordering::Release);
            // The answer comes before the next worker's turn. Otherwise that worker would take the
            // request as a new one.
            self.answer.set(request);
        }
        self.turn.set(number.wrapping_add(1));
    }
}

/// A child that has ended: its process id, how it ended, and its processor time. `None` if no child
/// has ended.
fn reap() -> Option<(libc::pid_t, libc::c_int, Duration)> {
    let mut status = 0;
    loop {
        // SAFETY: a usage of zeros is valid. Both pointers are to local variables.
        let (dead, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (
                libc::wait4(-1, &raw mut status, libc::WNOHANG | libc::WUNTRACED, &raw mut usage),
                usage,
            )
        };
        if dead <= 0 || !libc::WIFSTOPPED(status) {
            return (dead > 0).then(|| (dead, status, time(usage.ru_utime) + time(usage.ru_stime)));
        }
        children::go_on(dead, libc::WSTOPSIG(status));
    }
}

fn time(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}

//! The process that forks workers: a copy of the one that asks, from before the target ran for the first time.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use super::bell::Bell;
use super::shared::{Area, Header, Shared};
use super::stack::Room;
use super::wire::Writer;
use super::{sanitizer, traces, walk};
use crate::system::children::kill;
use crate::system::fork::fork;
use crate::system::process::{self, die_with};
use crate::system::{children, offspring};

/// What asker, fork server and worker tell each other.
#[repr(C)]
pub(super) struct Requests {
    /// The number of the last request.
    pub(super) request: Bell,
    /// The number of the last request that was answered, by the worker or, if that died, by the fork server.
    pub(super) answer: Bell,
    /// Whether the request may be run without watching the frames of functions that have returned: what it is run for is no bug of that kind.
    pub(super) frames_unwatched: AtomicBool,
    /// Whether the answer is that the worker died.
    pub(super) died: AtomicBool,
    /// How it died, as `waitpid` says it.
    pub(super) status: AtomicI32,
    /// The process that takes requests now.
    pub(super) worker: AtomicI32,
    /// The number of the worker that takes requests now, or will as soon as it lives.
    pub(super) turn: Bell,
    /// Processor time of the workers that died, in nanoseconds.
    pub(super) nanoseconds: AtomicU64,
    /// How many records of a run's last moments were written since the request was made.
    pub(super) records: Bell,
    /// How many cases of a request for many were begun.
    pub(super) cases: AtomicU64,
    /// Whether a panic is answered with its frames.
    pub(super) frames_wanted: AtomicBool,
    /// What becomes of memory that the target frees: a [`Freed`](crate::execution::Freed).
    pub(super) freed: AtomicU8,
    /// Whether the target has less of a stack than other processes, not more.
    pub(super) stack_is_narrow: AtomicBool,
    /// Whether candidates run.
    pub(super) runs_candidates: AtomicBool,
    /// Whether memory that a run does not give back is a failure.
    pub(super) leaks_fail: AtomicBool,
}

/// What becomes of what the target prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prints {
    /// Of a thousand candidates it would hide what the asker says.
    Lost,
    /// It goes where the asker's own words go.
    Kept,
}

// SAFETY: numbers, all of them atomic and few.
unsafe impl Header for Requests {}

/// How long a signal may be lost that came just before the wait that it should have ended.
const LOOK: Duration = Duration::from_millis(20);

/// After so many deaths of workers the children are ended that the target forked and left behind: to look for them takes a good part of what a death costs.
const DEATHS_TO_A_LOOK: u32 = 16;

impl Shared<Requests> {
    /// Makes a request of what `write` writes: its number. None if that is too much.
    pub(super) fn request(&'static self, write: impl FnOnce(&mut Writer<'_>)) -> Option<u32> {
        // Here, not in the worker: one that dies before it has begun leaves no record.
        self.header().records.set(0);
        // SAFETY: no request is open, so the worker leaves the area alone.
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

/// Forks the fork server, which is listed under `name`. `work` is the whole life of a worker, which is told its number. Returns the fork server's process id.
///
/// The caller should have one thread only: others are missing in what is forked, and what they held locked stays so.
pub(super) fn start(shared: &Shared<Requests>, name: &[u8; 16], prints: Prints, work: impl Fn(u32)) -> io::Result<libc::pid_t> {
    // Here, since a lock of the loader that another thread holds stays locked in what is forked.
    walk::prepare();
    let asker = process::id();
    let name_of_workers = process::name();
    match fork()? {
        0 => {
            die_with(asker);
            process::rename(name);
            sanitizer::watch_returned_frames(true);
            traces::end();
            raise(shared, prints, &|number| {
                process::rename(&name_of_workers);
                work(number);
            })
        }
        fork_server => Ok(fork_server),
    }
}

/// Forks one worker after the other, from the first request on, and answers for those that died of one and left no word.
///
/// Once one has died there is a second one, which waits for its turn: to fork it and to clear away the dead one takes longer than most runs.
fn raise(shared: &Shared<Requests>, prints: Prints, work: &impl Fn(u32)) -> ! {
    // SAFETY: system calls on this process alone. Ctrl-C is the asker's business, and whoever dies of a target leaves no core behind.
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
    // By number: the one whose turn it is, and the one after that.
    let mut alive: Vec<(u32, libc::pid_t)> = Vec::new();
    let mut newest = None;
    let mut deaths = 0_u32;
    loop {
        let turn = header.turn.get();
        let spare = (turn > 0 && crate::switches::Switch::SpareWorker.is_on()).then_some(turn + 1);
        for number in [Some(turn), spare].into_iter().flatten() {
            // One that dies before its turn is not replaced before that: it would die again.
            let is_missing = alive.iter().all(|(alive, _)| *alive != number) && (number == turn || newest.is_none_or(|newest| newest < number));
            if is_missing && let Some(worker) = fork_worker(number, fork_server, work) {
                alive.push((number, worker));
                newest = newest.max(Some(number));
            }
        }
        if let Some((_, worker)) = alive.iter().find(|(number, _)| *number == turn) {
            header.worker.store(*worker, Ordering::Release);
        }
        let Some((dead, status, time)) = reap() else {
            // A worker that hands over, and the end of one, both end the wait.
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

/// Does nothing, but whatever waits waits no longer.
extern "C" fn on_end_of_a_child(_signal: libc::c_int) {}

/// None if there are too many processes, or too little memory: it may pass.
fn fork_worker(number: u32, fork_server: libc::pid_t, work: &impl Fn(u32)) -> Option<libc::pid_t> {
    match fork() {
        Ok(0) => {
            die_with(fork_server);
            // SAFETY: the target finds what every process finds.
            unsafe {
                libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            }
            super::threads::see();
            work(number);
            // SAFETY: ends the process, without what the asker's exit would do.
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
    /// How much of a stack the target is to have.
    pub(super) fn room(&self) -> Room {
        Room { is_narrow: self.stack_is_narrow.load(Ordering::Acquire), is_for_candidates: self.runs_candidates.load(Ordering::Acquire) }
    }

    /// The worker of this number takes no more requests: if it has one, it died of it. For a handler too.
    pub(super) fn hand_over(&self, number: u32) {
        let request = self.request.get();
        if self.answer.get() != request {
            self.died.store(true, Ordering::Release);
            // Before the next one may begin, which would take the request for one of its own.
            self.answer.set(request);
        }
        self.turn.set(number.wrapping_add(1));
    }
}

/// A child that has ended: which it was, how it ended, and the processor time it took.
fn reap() -> Option<(libc::pid_t, libc::c_int, Duration)> {
    let mut status = 0;
    loop {
        // SAFETY: a usage of zeros is one; both pointers are to locals.
        let (dead, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::wait4(-1, &raw mut status, libc::WNOHANG | libc::WUNTRACED, &raw mut usage), usage)
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

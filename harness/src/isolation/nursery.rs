//! The process that forks workers: a copy of the one that asks, from before the target ran for the first time.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::shared::{self, Header, Shared};
use crate::process::{die_with, fork};

/// What asker, nursery and worker tell each other.
#[repr(C)]
pub(super) struct Requests {
    /// The number of the last request.
    pub(super) request: AtomicU32,
    /// The number of the last request that was answered, by the worker or, if that died, by the nursery.
    pub(super) answer: AtomicU32,
    /// Whether the request may be run without watching the frames of functions that have returned: what it is run for is no bug of that kind.
    pub(super) frames_unwatched: AtomicBool,
    /// Whether the answer is that the worker died.
    pub(super) died: AtomicBool,
    /// How it died, as `waitpid` says it.
    pub(super) status: AtomicI32,
    /// The process that takes requests now.
    pub(super) worker: AtomicI32,
    /// Processor time of the workers that died, in nanoseconds.
    pub(super) nanoseconds: AtomicU64,
    /// How many records of a run's last moments were written since the request was made.
    pub(super) records: AtomicU32,
    /// How long what the run told so far is.
    pub(super) told: AtomicU64,
    /// How many cases of a request for many were begun.
    pub(super) cases: AtomicU64,
    /// Whether a panic is answered with its frames.
    pub(super) frames_wanted: AtomicBool,
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

/// Forks the nursery. `work` is the whole life of a worker. Returns the nursery's process id.
///
/// The caller should have one thread only: others are missing in what is forked, and what they held locked stays so.
pub(super) fn start(shared: &Shared<Requests>, prints: Prints, work: impl Fn()) -> io::Result<libc::pid_t> {
    // SAFETY: asks for a number.
    let asker = unsafe { libc::getpid() };
    match fork()? {
        0 => {
            die_with(asker);
            raise(shared, prints, &work)
        }
        nursery => Ok(nursery),
    }
}

/// Forks one worker after the other, and answers for those that died of a request.
fn raise(shared: &Shared<Requests>, prints: Prints, work: &impl Fn()) -> ! {
    // SAFETY: system calls on this process alone. Ctrl-C is the asker's business, and whoever dies of a target leaves no core behind.
    let nursery = unsafe {
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
        if prints == Prints::Lost {
            let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
            libc::dup2(nowhere, libc::STDOUT_FILENO);
            libc::dup2(nowhere, libc::STDERR_FILENO);
        }
        libc::getpid()
    };
    let header = shared.header();
    loop {
        match fork() {
            Ok(0) => {
                die_with(nursery);
                work();
                // SAFETY: ends the process, without what the asker's exit would do.
                unsafe { libc::_exit(0) }
            }
            Ok(worker) => {
                header.worker.store(worker, Ordering::Release);
                let (status, time) = reap(worker);
                header.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::AcqRel);
                header.worker.store(0, Ordering::Release);
                let request = header.request.load(Ordering::Acquire);
                if header.answer.load(Ordering::Acquire) != request {
                    header.status.store(status, Ordering::Release);
                    header.died.store(true, Ordering::Release);
                    shared::set(&header.answer, request);
                }
            }
            // Too many processes, or too little memory: it may pass.
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Waits for the end of a child: how it ended, and the processor time it took.
fn reap(child: libc::pid_t) -> (libc::c_int, Duration) {
    let mut status = 0;
    // SAFETY: a usage of zeros is one; both pointers are to locals.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        while libc::wait4(child, &raw mut status, 0, &raw mut usage) == -1 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {}
        (status, time(usage.ru_utime) + time(usage.ru_stime))
    }
}

fn time(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}

//! The process that forks workers: a copy of the one that asks, from before the target ran for the first time.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::shared::{self, Shared};

/// Forks the nursery. `work` is the whole life of a worker. Returns the nursery's process id.
///
/// The caller should have one thread only: others are missing in what is forked, and what they held locked stays so.
pub(super) fn start(shared: &Shared, work: impl Fn(&Shared)) -> io::Result<libc::pid_t> {
    // SAFETY: asks for a number.
    let asker = unsafe { libc::getpid() };
    match fork()? {
        0 => {
            die_with(asker);
            raise(shared, &work)
        }
        nursery => Ok(nursery),
    }
}

/// Forks one worker after the other, and answers for those that died of a request.
fn raise(shared: &Shared, work: &impl Fn(&Shared)) -> ! {
    // SAFETY: system calls on this process alone. Ctrl-C is the asker's business, whoever dies of a target leaves no core behind, and what a thousand candidates
    // print would hide what the asker says.
    let nursery = unsafe {
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        libc::dup2(nowhere, libc::STDOUT_FILENO);
        libc::dup2(nowhere, libc::STDERR_FILENO);
        libc::getpid()
    };
    let header = shared.header();
    loop {
        match fork() {
            Ok(0) => {
                die_with(nursery);
                work(shared);
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

fn fork() -> io::Result<libc::pid_t> {
    // SAFETY: neither the asker nor the nursery has threads that matter to what is forked.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(pid),
    }
}

/// This process ends when `parent` does, however that ends.
fn die_with(parent: libc::pid_t) {
    // SAFETY: system calls on this process alone.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // It may have ended before the wish was made.
        if libc::getppid() != parent {
            libc::_exit(1);
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

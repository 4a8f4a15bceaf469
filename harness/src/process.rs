//! Processes: starting this executable again, dying with the parent, leaving at once. Linux; the one file to look at for another system.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// This executable, even if a rebuild has replaced it meanwhile; the child dies when this process does.
pub(crate) fn again() -> Command {
    let mut command = Command::new("/proc/self/exe");
    let parent = std::process::id();
    // SAFETY: between fork and exec only async-signal-safe system calls are made: prctl, getppid and _exit.
    unsafe {
        command.pre_exec(move || {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            // The parent may have died before the wish was made.
            if libc::getppid() != parent as libc::pid_t {
                libc::_exit(1);
            }
            Ok(())
        });
    }
    command
}

/// Gives way to every other process.
pub(crate) fn lowest_priority() {
    // SAFETY: changes nothing but the scheduling of this process.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 19);
    }
}

/// Processor time of the current thread.
pub(crate) fn thread_time() -> Duration {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of the whole process.
pub(crate) fn process_time() -> Duration {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// Whether any thread but the current one runs or waits for its turn to run; `false` if the system does not tell.
pub(crate) fn another_thread_wants_the_processor() -> bool {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return false };
    let running = threads.flatten().filter(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The state follows the name, which may hold anything.
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
    });
    // The current thread runs, or it would not ask.
    running.count() > 1
}

fn clock(id: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local; an unknown clock would leave it zero.
    unsafe {
        libc::clock_gettime(id, &raw mut time);
    }
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Stops the timer that libFuzzer sets for targets that hang.
#[cfg(feature = "libfuzzer")]
pub(crate) fn disarm_alarm() {
    let never = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value: libc::timeval { tv_sec: 0, tv_usec: 0 } };
    // SAFETY: the pointer is to a local; the old value is not asked for.
    unsafe {
        libc::setitimer(libc::ITIMER_REAL, &raw const never, std::ptr::null_mut());
    }
}

/// Ends this process now: no exit handlers, no destructors, no leak check.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: _exit is always allowed; whatever had to be written was written.
    unsafe { libc::_exit(code) }
}

/// Runs `handler` with the exit code when the process ends by `exit`.
#[cfg(feature = "libfuzzer")]
pub(crate) fn at_exit(handler: extern "C" fn(libc::c_int, *mut libc::c_void)) {
    unsafe extern "C" {
        fn on_exit(handler: extern "C" fn(libc::c_int, *mut libc::c_void), argument: *mut libc::c_void) -> libc::c_int;
    }
    // SAFETY: glibc has it; the handler is a plain function without unwinding out of it.
    unsafe {
        on_exit(handler, std::ptr::null_mut());
    }
}

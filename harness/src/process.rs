//! Processes: starting this executable again, dying with the parent, leaving at once. Linux; the one file to look at for another system.

use std::os::unix::process::CommandExt;
use std::process::Command;

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

/// Ends this process now: no exit handlers, no destructors, no leak check.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: _exit is always allowed; whatever had to be written was written.
    unsafe { libc::_exit(code) }
}

/// Runs `handler` when the process ends by `exit`.
pub(crate) fn at_exit(handler: extern "C" fn()) {
    // SAFETY: the handler is a plain function without unwinding out of it.
    unsafe {
        libc::atexit(handler);
    }
}

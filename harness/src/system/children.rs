//! Children of this process: signals to them, waiting for them, and how they ended.

use std::ffi::c_void;
use std::ptr::null_mut;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitOptions, waitpid};

/// Whether the process exists and has not ended.
pub(crate) fn is_running(process: libc::pid_t) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The state follows the name, which may contain any characters.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Whether it is a child of this process and has not ended. This call reaps a child that has ended.
#[cfg(feature = "libfuzzer")]
pub(crate) fn is_child(process: libc::pid_t) -> bool {
    process > 0 && matches!(waitpid(Pid::from_raw(process), WaitOptions::NOHANG), Ok(None))
}

/// Whether the process exists. An ended process exists until its parent reaps it.
#[cfg(feature = "libfuzzer")]
pub(crate) fn is_there(process: libc::pid_t) -> bool {
    process > 0
        && Pid::from_raw(process)
            .is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
}

/// Kills and reaps a child of this process. Other processes are left alone.
#[cfg(feature = "libfuzzer")]
pub(crate) fn end_child(process: libc::pid_t) {
    if is_child(process) {
        kill(process);
        wait_for(process);
    }
}

/// Reaps the children that have ended, if `is_mine` accepts them. Other code waits for the rest.
pub(crate) fn reap_children(is_mine: impl Fn(libc::pid_t) -> bool) {
    loop {
        // SAFETY: a zeroed description is valid, and means that no child has ended. The pointer is
        // to a local.
        let ended = unsafe {
            let mut ended: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(
                libc::P_ALL,
                0,
                &raw mut ended,
                libc::WEXITED | libc::WNOHANG | libc::WNOWAIT,
            );
            ended.si_pid()
        };
        // A child that other code waits for stays first in line until that code reaps it.
        if ended == 0 || !is_mine(ended) {
            return;
        }
        wait_for(ended);
    }
}

/// Kills a child of this process, or a grandchild.
pub(crate) fn kill(process: libc::pid_t) {
    signal(process, libc::SIGKILL);
}

/// Sends a signal to a child of this process, or to a grandchild. If the process is gone, nothing
/// happens.
pub(crate) fn signal(process: libc::pid_t, signal: libc::c_int) {
    if process > 0 {
        // SAFETY: a system call on another process.
        unsafe {
            libc::kill(process, signal);
        }
    }
}

/// Whether a child has ended. This call reaps a child that has ended.
pub(crate) fn has_ended(child: libc::pid_t) -> bool {
    !matches!(waitpid(Pid::from_raw(child), WaitOptions::NOHANG), Ok(None))
}

/// The status of a child that has ended, as `waitpid` returns it.
#[cfg(feature = "libfuzzer")]
pub(crate) fn try_wait(child: libc::pid_t) -> Option<libc::c_int> {
    let mut status = 0;
    // SAFETY: the pointer is to a local.
    let is_news =
        unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG | libc::WUNTRACED) } == child;
    if is_news && libc::WIFSTOPPED(status) {
        go_on(child, libc::WSTOPSIG(status));
        return None;
    }
    is_news.then_some(status)
}

/// The end of a process as text.
#[cfg(feature = "libfuzzer")]
pub(crate) fn how(status: libc::c_int) -> String {
    if libc::WIFEXITED(status) {
        format!("exit code {}", libc::WEXITSTATUS(status))
    } else {
        format!("signal {}", libc::WTERMSIG(status))
    }
}

/// Waits for the end of a child, including one that sends no signal when it ends.
pub(crate) fn wait_for(child: libc::pid_t) {
    let options = WaitOptions::from_bits_retain(libc::__WALL as u32);
    // A signal that arrives meanwhile does not end the wait.
    let _ = retry_on_intr(|| waitpid(Pid::from_raw(child), options));
}

/// From now on, orphaned descendants become children of this process, so that it can kill them.
pub(crate) fn adopt_orphans() {
    // SAFETY: a system call on this process alone. If the system does not support it, orphans live
    // on.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
    }
}

/// Continues a child that is stopped. The target has stopped itself, or has asked its parent, which
/// is this process, to trace it.
///
/// A child that the user stops with Ctrl-Z stays stopped.
pub(crate) fn go_on(child: libc::pid_t, signal: libc::c_int) {
    // SAFETY: system calls on a child, which was just found stopped.
    unsafe {
        // A traced child stops at each signal. The signal is then delivered as without a tracer.
        let was_traced = libc::ptrace(
            libc::PTRACE_DETACH,
            child,
            null_mut::<c_void>(),
            signal as usize as *mut c_void,
        ) == 0;
        if !was_traced && matches!(signal, libc::SIGSTOP | libc::SIGTTIN | libc::SIGTTOU) {
            libc::kill(child, libc::SIGCONT);
        }
    }
}

/// As [`go_on`], if the child has stopped.
pub(crate) fn go_on_if_stopped(child: libc::pid_t) {
    // SAFETY: a zeroed description is valid, and means that no child has stopped. The pointer is to
    // a local.
    let (stopped, signal) = unsafe {
        let mut stopped: libc::siginfo_t = std::mem::zeroed();
        libc::waitid(
            libc::P_PID,
            child as libc::id_t,
            &raw mut stopped,
            libc::WSTOPPED | libc::WNOHANG,
        );
        (stopped.si_pid(), stopped.si_status())
    };
    if stopped == child {
        go_on(child, signal);
    }
}

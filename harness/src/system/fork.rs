//! Forks this process.

use std::io;

use super::forked;
use super::usage::threads;

/// Forks this process. Returns 0 in the child.
///
/// The caller should have only one thread. Other threads do not exist in the child, and their locks
/// stay locked there.
///
/// With one thread, the fork handlers of the C library are not needed. In them, `AddressSanitizer`
/// locks and unlocks tables of megabytes, and every page of these is then copied on both sides.
/// With several threads, the handlers keep the child from waiting for a lock of the allocator.
pub(crate) fn fork() -> io::Result<libc::pid_t> {
    fork_with(libc::SIGCHLD)
}

/// As [`fork`]. This process gets `signal` when the child ends. 0 means no signal, and then only a
/// wait with `__WALL` sees the child.
pub(crate) fn fork_with(signal: libc::c_int) -> io::Result<libc::pid_t> {
    let mut place: *mut libc::pid_t = std::ptr::null_mut();
    // SAFETY: the pointer is to a local. `place` is where the C library keeps the number of this
    // thread. The child gets its own number there, as it would from the C library. Other threads of
    // the caller hold no lock that the child will take: they wait for signals, or belong to the
    // target.
    let pid = unsafe {
        if threads() > 1
            || libc::prctl(libc::PR_GET_TID_ADDRESS, &raw mut place) != 0
            || place.is_null()
        {
            libc::c_long::from(libc::fork())
        } else {
            let mut how: libc::clone_args = std::mem::zeroed();
            how.flags = (libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID) as u64;
            how.child_tid = place as u64;
            how.exit_signal = signal as u64;
            match libc::syscall(libc::SYS_clone3, &raw const how, size_of::<libc::clone_args>()) {
                // Older systems, and containers that forbid system calls that they do not know.
                -1 if matches!(
                    io::Error::last_os_error().raw_os_error(),
                    Some(libc::ENOSYS | libc::EPERM)
                ) =>
                {
                    libc::c_long::from(libc::fork())
                }
                pid => pid,
            }
        }
    };
    if pid == 0 {
        forked::mark();
    }
    if pid == -1 { Err(io::Error::last_os_error()) } else { Ok(pid as libc::pid_t) }
}

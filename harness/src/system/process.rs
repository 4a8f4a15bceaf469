//! This process: starting its executable again, dying with the parent, leaving at once.

use std::os::unix::process::CommandExt;
use std::process::Command;
#[cfg(feature = "libfuzzer")]
use std::sync::atomic::{AtomicI32, Ordering};

#[cfg(feature = "afl")]
use rustix::process::Pid;

/// A command for this executable, even if a rebuild has replaced its file. The child dies when this
/// process does.
pub(crate) fn again() -> Command {
    let mut command = Command::new("/proc/self/exe");
    let parent = std::process::id();
    // SAFETY: between fork and exec only async-signal-safe system calls are made: prctl, getppid
    // and _exit.
    unsafe {
        command.pre_exec(move || {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            // The parent may have died before the call above.
            if libc::getppid() != parent as libc::pid_t {
                libc::_exit(1);
            }
            Ok(())
        });
    }
    command
}

/// Whether the eight bytes at an address can be read. The address is a multiple of eight. Safe in a
/// signal handler.
///
/// The call passes the address as a signal mask, for an operation that does not exist. The system
/// reads the mask first, and [`libc::EFAULT`] means that it could not.
pub(crate) fn is_readable(address: usize) -> bool {
    const NO_OPERATION: libc::c_int = -1;
    const MASK: usize = 8;
    // SAFETY: the call changes nothing, at any address.
    unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, NO_OPERATION, address, 0, MASK);
        *libc::__errno_location() != libc::EFAULT
    }
}

/// Ends this process at once. It skips all exit work of the C library and of a sanitizer.
pub(crate) fn leave_from_a_handler(code: libc::c_int) -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, code) };
    }
}

/// Ends this process when `parent` ends, whatever the reason.
pub(crate) fn die_with(parent: libc::pid_t) {
    // SAFETY: system calls on this process alone.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The parent may have ended before the call above.
        if libc::getppid() != parent {
            libc::_exit(1);
        }
    }
}

/// Sends a signal to this process when its parent ends, whatever the reason.
#[cfg(feature = "afl")]
pub(crate) fn ask_to_end_with_parent(signal: libc::c_int) {
    // SAFETY: a system call on this process alone.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, signal);
    }
}

/// Moves this process out of its process group, so that signals to the group do not reach it.
#[cfg(feature = "afl")]
pub(crate) fn leave_group() {
    let _ = rustix::process::setsid();
}

/// The parent of this process.
#[cfg(feature = "afl")]
pub(crate) fn parent() -> libc::pid_t {
    Pid::as_raw(rustix::process::getppid())
}

/// Closes all open files except standard input, output and error.
#[cfg(feature = "afl")]
pub(crate) fn close_all_but_standard() {
    close_from(3);
}

/// Does the same, but keeps a copy of one more file. Returns the copy.
#[cfg(feature = "afl")]
pub(crate) fn keep_one_file(file: libc::c_int) -> libc::c_int {
    const COPY: libc::c_int = 3;
    // SAFETY: the file is open, and no code in this process uses another one again.
    unsafe {
        libc::dup2(file, COPY);
    }
    close_from(COPY + 1);
    COPY
}

#[cfg(feature = "afl")]
fn close_from(first: libc::c_int) {
    // SAFETY: no code in this process uses one of these files again.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) != 0 {
            // Older systems.
            for file in first..1024 {
                libc::close(file);
            }
        }
    }
}

/// Redirects the standard error of this process to `file`.
#[cfg(feature = "afl")]
pub(crate) fn redirect_stderr(file: libc::c_int) {
    // SAFETY: both are open.
    unsafe {
        libc::dup2(file, 2);
    }
}

/// The number of this process.
pub(crate) fn id() -> libc::pid_t {
    rustix::process::getpid().as_raw_pid()
}

/// The process for which this fork outlives its parent. See [`outlive_parent_for`].
#[cfg(feature = "libfuzzer")]
static ADOPTER: AtomicI32 = AtomicI32::new(0);

/// Keeps this process alive when its parent ends, if `adopter` then becomes its parent.
#[cfg(feature = "libfuzzer")]
pub(crate) fn outlive_parent_for(parent: libc::pid_t, adopter: libc::pid_t) {
    extern "C" fn on_death_of_the_parent(_signal: libc::c_int) {
        // SAFETY: system calls that a handler may make.
        unsafe {
            if libc::getppid() != ADOPTER.load(Ordering::Acquire) {
                libc::_exit(1);
            }
        }
    }
    ADOPTER.store(adopter, Ordering::Release);
    // SAFETY: the handler is a plain function. The system calls are on this process alone.
    unsafe {
        let signal = libc::SIGRTMIN() + 8;
        libc::signal(
            signal,
            on_death_of_the_parent as extern "C" fn(libc::c_int) as libc::sighandler_t,
        );
        libc::prctl(libc::PR_SET_PDEATHSIG, signal);
        // Both processes may have ended before the call above.
        let now = libc::getppid();
        if now != parent && now != adopter {
            libc::_exit(1);
        }
    }
}

/// The timer that interrupts this process from time to time. A fork does not inherit it.
#[cfg(feature = "libfuzzer")]
pub(crate) struct Alarm(libc::itimerval);

#[cfg(feature = "libfuzzer")]
impl Alarm {
    pub(crate) fn read() -> Alarm {
        // SAFETY: zeroed times are valid. The pointer is to a local.
        unsafe {
            let mut timer: libc::itimerval = std::mem::zeroed();
            libc::getitimer(libc::ITIMER_REAL, &raw mut timer);
            Alarm(timer)
        }
    }

    pub(crate) fn set(&self) {
        // SAFETY: the times live until the call returns. The call accepts a null pointer for the
        // old times.
        unsafe {
            libc::setitimer(libc::ITIMER_REAL, &raw const self.0, std::ptr::null_mut());
        }
    }
}

/// Ignores Ctrl-C, which goes to every process of a terminal: the parent decides what it means.
/// Other signals can still end this process alone. libFuzzer sets its own handlers only where it
/// finds none.
#[cfg(feature = "libfuzzer")]
pub(crate) fn leave_signals_to_the_parent() {
    // SAFETY: only default or ignoring handlers are set.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        // If a target lowers the limit of file sizes, libFuzzer's writes fail, and the run goes on.
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        for signal in [libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2] {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

/// The name under which this process is listed. At first it is the name of its program.
pub(crate) fn name() -> [u8; 16] {
    let mut name = [0; 16];
    // SAFETY: the system writes at most 16 bytes.
    unsafe {
        libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr());
    }
    name
}

/// Lists this process under another name. It has at most 15 bytes before the final zero.
pub(crate) fn rename(name: &[u8; 16]) {
    // SAFETY: the system reads at most 16 bytes.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, name.as_ptr());
    }
}

/// Asks libFuzzer to end in order.
#[cfg(feature = "libfuzzer")]
pub(crate) fn ask_to_end() {
    // SAFETY: libFuzzer's handler sets a flag.
    unsafe {
        libc::raise(libc::SIGUSR1);
    }
}

/// Ends this process now, without exit handlers, destructors or leak check.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: _exit is always allowed. All required output is already written.
    unsafe { libc::_exit(code) }
}

/// Runs `handler` with the exit code when the process ends by `exit`.
pub(crate) fn at_exit(handler: extern "C" fn(libc::c_int, *mut libc::c_void)) {
    unsafe extern "C" {
        fn on_exit(
            handler: extern "C" fn(libc::c_int, *mut libc::c_void),
            argument: *mut libc::c_void,
        ) -> libc::c_int;
    }
    // SAFETY: glibc has it. The handler is a plain function and does not unwind.
    unsafe {
        on_exit(handler, std::ptr::null_mut());
    }
}

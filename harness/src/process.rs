//! Processes: starting this executable again, dying with the parent, leaving at once. Linux; the one file to look at for another system.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::Command;
#[cfg(feature = "libfuzzer")]
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use crate::forked;
use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitOptions, waitpid};

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

/// Forks this process: 0 in the child.
///
/// The caller should have one thread only: others are missing in what is forked, and what they held locked stays so.
///
/// With one thread there is no need of what the C library does around a fork, where `AddressSanitizer` locks and unlocks tables of megabytes, each page of which is
/// then copied on both sides. With more, it is what keeps the child from waiting for a lock of the allocator.
pub(crate) fn fork() -> io::Result<libc::pid_t> {
    fork_with(libc::SIGCHLD)
}

/// The same. This process gets `signal` when the child ends; 0 is no signal, and then only waiting with `__WALL` sees the child.
pub(crate) fn fork_with(signal: libc::c_int) -> io::Result<libc::pid_t> {
    let mut place: *mut libc::pid_t = std::ptr::null_mut();
    // SAFETY: the pointer is to a local. The place that is told is where the C library keeps the number of this thread: the child gets its own there, as it would
    // from the C library. Threads that the caller has all the same hold no lock that the child will take: they wait for signals, or are the target's own.
    let pid = unsafe {
        if threads() > 1 || libc::prctl(libc::PR_GET_TID_ADDRESS, &raw mut place) != 0 || place.is_null() {
            libc::c_long::from(libc::fork())
        } else {
            let mut how: libc::clone_args = std::mem::zeroed();
            how.flags = (libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID) as u64;
            how.child_tid = place as u64;
            how.exit_signal = signal as u64;
            match libc::syscall(libc::SYS_clone3, &raw const how, size_of::<libc::clone_args>()) {
                // Older systems, and containers that forbid what they do not know.
                -1 if matches!(io::Error::last_os_error().raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => libc::c_long::from(libc::fork()),
                pid => pid,
            }
        }
    };
    if pid == 0 {
        forked::mark();
    }
    if pid == -1 { Err(io::Error::last_os_error()) } else { Ok(pid as libc::pid_t) }
}

/// Whether a word of memory can be read; its address is a multiple of eight. For a handler.
///
/// The system is asked to take a mask of signals from there, for an operation that does not exist. It reads the mask first: [`libc::EFAULT`] says that it could not.
pub(crate) fn is_readable(address: usize) -> bool {
    const NO_OPERATION: libc::c_int = -1;
    const MASK: usize = 8;
    // SAFETY: the call changes nothing, whatever the address.
    unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, NO_OPERATION, address, 0, MASK);
        *libc::__errno_location() != libc::EFAULT
    }
}

/// Ends this process at once, past everything that the C library or a sanitizer does at the end of one.
pub(crate) fn leave_from_a_handler(code: libc::c_int) -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, code) };
    }
}

/// This process ends when `parent` does, however that ends.
pub(crate) fn die_with(parent: libc::pid_t) {
    // SAFETY: system calls on this process alone.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // It may have ended before the wish was made.
        if libc::getppid() != parent {
            libc::_exit(1);
        }
    }
}

/// This process gets a signal when its parent ends, however that ends.
#[cfg(feature = "afl")]
pub(crate) fn ask_to_end_with_parent(signal: libc::c_int) {
    // SAFETY: a system call on this process alone.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, signal);
    }
}

/// This process leaves the group it belongs to, so that no signal to that reaches it.
#[cfg(feature = "afl")]
pub(crate) fn leave_group() {
    let _ = rustix::process::setsid();
}

/// The parent of this process.
#[cfg(feature = "afl")]
pub(crate) fn parent() -> libc::pid_t {
    Pid::as_raw(rustix::process::getppid())
}

/// Whether there is such a process, and it has not ended.
#[cfg(any(feature = "afl", feature = "libfuzzer"))]
pub(crate) fn is_running(process: libc::pid_t) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The state follows the name, which may hold anything.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Closes all files but standard input, output and error, whoever opened them.
#[cfg(feature = "afl")]
pub(crate) fn close_all_but_standard() {
    // SAFETY: nothing here has a file open that it uses again.
    unsafe {
        if libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) != 0 {
            // Older systems.
            for file in 3..1024 {
                libc::close(file);
            }
        }
    }
}

/// What this process says on standard error goes to `file`.
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

/// Whether it is a child of this process, and has not ended. One that has is gone for good.
#[cfg(feature = "libfuzzer")]
pub(crate) fn is_child(process: libc::pid_t) -> bool {
    process > 0 && matches!(waitpid(Pid::from_raw(process), WaitOptions::NOHANG), Ok(None))
}

/// Whether there is such a process; one that has ended is there until its parent knows.
#[cfg(feature = "libfuzzer")]
pub(crate) fn is_there(process: libc::pid_t) -> bool {
    process > 0 && Pid::from_raw(process).is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
}

/// Ends a child of this process; one that is none is left alone.
#[cfg(feature = "libfuzzer")]
pub(crate) fn end_child(process: libc::pid_t) {
    if is_child(process) {
        kill(process);
        wait_for(process);
    }
}

/// Waits for the children that have ended already and that nobody else waits for.
#[cfg(feature = "libfuzzer")]
pub(crate) fn reap_children(is_mine: impl Fn(libc::pid_t) -> bool) {
    loop {
        // SAFETY: a description of zeros is one, and says that there is no such child; the pointer is to a local.
        let ended = unsafe {
            let mut ended: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_ALL, 0, &raw mut ended, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT);
            ended.si_pid()
        };
        // One that somebody waits for stands before the others until it is fetched.
        if ended == 0 || !is_mine(ended) {
            return;
        }
        wait_for(ended);
    }
}

/// Orphans among the offspring of this process become its children, not those of the system.
#[cfg(feature = "libfuzzer")]
pub(crate) fn adopt_orphans() {
    // SAFETY: a system call on this process alone. Where the system cannot do it, orphans end.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
    }
}

/// The process that a fork outlives its parent for; see [`outlive_parent_for`].
#[cfg(feature = "libfuzzer")]
static ADOPTER: AtomicI32 = AtomicI32::new(0);

/// This process stays when its parent ends, as long as `adopter` then takes it.
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
    // SAFETY: the handler is a plain function; the system calls are on this process alone.
    unsafe {
        let signal = libc::SIGRTMIN() + 8;
        libc::signal(signal, on_death_of_the_parent as extern "C" fn(libc::c_int) as libc::sighandler_t);
        libc::prctl(libc::PR_SET_PDEATHSIG, signal);
        // They may have ended before the wish was made.
        let now = libc::getppid();
        if now != parent && now != adopter {
            libc::_exit(1);
        }
    }
}

/// How many threads this process has; one if the system does not tell.
///
/// Takes no memory from the allocator: `AddressSanitizer` keeps what is given back for a while, and whoever forks often would grow by what it asked.
pub(crate) fn threads() -> usize {
    let mut stat = [0; 1024];
    let length = File::open("/proc/self/stat").and_then(|mut file| file.read(&mut stat)).unwrap_or(0);
    // The name may hold anything; behind it the state is the first field, and the number of threads the eighteenth.
    let fields = std::str::from_utf8(&stat[stat[..length].iter().rposition(|byte| *byte == b')').map_or(length, |end| end + 1)..length]);
    fields.ok().and_then(|fields| fields.split_ascii_whitespace().nth(17)?.parse().ok()).unwrap_or(1)
}

/// The clock that interrupts this process from time to time, which a fork does not inherit.
#[cfg(feature = "libfuzzer")]
pub(crate) struct Alarm(libc::itimerval);

#[cfg(feature = "libfuzzer")]
impl Alarm {
    pub(crate) fn read() -> Alarm {
        // SAFETY: times of zeros are times; the pointer is to a local.
        unsafe {
            let mut timer: libc::itimerval = std::mem::zeroed();
            libc::getitimer(libc::ITIMER_REAL, &raw mut timer);
            Alarm(timer)
        }
    }

    pub(crate) fn set(&self) {
        // SAFETY: the times live until the call returns, which wants no old ones.
        unsafe {
            libc::setitimer(libc::ITIMER_REAL, &raw const self.0, std::ptr::null_mut());
        }
    }
}

/// Processor time of the current thread.
pub(crate) fn thread_time() -> Duration {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of another process so far; none if there is no such process.
pub(crate) fn time_of(process: libc::pid_t) -> Duration {
    let mut id = 0;
    // SAFETY: the pointer is to a local; a process that is gone is an error and no more.
    if process == 0 || unsafe { libc::clock_getcpuclockid(process, &raw mut id) } != 0 { Duration::ZERO } else { clock(id) }
}

/// Whether any thread of a process runs or waits for its turn to run; `false` if the system does not tell.
pub(crate) fn wants_the_processor(process: libc::pid_t) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return false };
    threads.flatten().any(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The state follows the name, which may hold anything.
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
    })
}

/// How many bytes of memory a process has for itself; 0 if the system does not tell.
pub(crate) fn memory_of(process: libc::pid_t) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let mut pages = statm.split_whitespace().skip(1).map(|number| number.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    // SAFETY: asks for a number.
    resident.saturating_sub(shared) * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64
}

/// The most memory that this process had at any time, in bytes; 0 if the system does not tell.
#[cfg(feature = "libfuzzer")]
pub(crate) fn peak_memory() -> u64 {
    // SAFETY: a struct of numbers may be all zeros, and the pointer is to a local.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    usage.ru_maxrss as u64 * 1024
}

/// Kills a child of ours, or a child of that.
pub(crate) fn kill(process: libc::pid_t) {
    signal(process, libc::SIGKILL);
}

/// Sends a signal to a child of ours, or to a child of that; one that is gone gets none.
pub(crate) fn signal(process: libc::pid_t, signal: libc::c_int) {
    if process > 0 {
        // SAFETY: a system call on another process.
        unsafe {
            libc::kill(process, signal);
        }
    }
}

/// Whether a child has ended; then it is gone for good.
pub(crate) fn has_ended(child: libc::pid_t) -> bool {
    !matches!(waitpid(Pid::from_raw(child), WaitOptions::NOHANG), Ok(None))
}

/// How a child ended, if it did, as `waitpid` says it.
#[cfg(feature = "libfuzzer")]
pub(crate) fn try_wait(child: libc::pid_t) -> Option<libc::c_int> {
    let mut status = 0;
    // SAFETY: the pointer is to a local.
    let is_news = unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG | libc::WUNTRACED) } == child;
    if is_news && libc::WIFSTOPPED(status) {
        forked::go_on(child, libc::WSTOPSIG(status));
        return None;
    }
    is_news.then_some(status)
}

/// The end of a process in words.
#[cfg(feature = "libfuzzer")]
pub(crate) fn how(status: libc::c_int) -> String {
    if libc::WIFEXITED(status) { format!("exit code {}", libc::WEXITSTATUS(status)) } else { format!("signal {}", libc::WTERMSIG(status)) }
}

/// Ctrl-C goes to every process of a terminal; the parent of this one decides what it means. Somebody may still end this process alone, and libFuzzer puts its
/// own handlers only where it finds none.
#[cfg(feature = "libfuzzer")]
pub(crate) fn leave_signals_to_the_parent() {
    // SAFETY: some signals get the plainest of handlers.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        // Where a target lowers the limit of file sizes, libFuzzer's files are not written, and the run goes on.
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        for signal in [libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2] {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

/// The name by which this process is listed, which is its program's at first.
pub(crate) fn name() -> [u8; 16] {
    let mut name = [0; 16];
    // SAFETY: the system writes at most 16 bytes.
    unsafe {
        libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr());
    }
    name
}

/// Lists this process under another name, of at most 15 bytes before the zero that ends it.
pub(crate) fn rename(name: &[u8; 16]) {
    // SAFETY: the system reads at most 16 bytes.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, name.as_ptr());
    }
}

/// Asks libFuzzer to come to its end in order.
#[cfg(feature = "libfuzzer")]
pub(crate) fn ask_to_end() {
    // SAFETY: libFuzzer's handler sets a flag.
    unsafe {
        libc::raise(libc::SIGUSR1);
    }
}

/// How many pages of memory this process was given so far, its own copies of shared ones among them.
#[cfg(feature = "libfuzzer")]
pub(crate) fn page_faults() -> u64 {
    // SAFETY: a struct of numbers may be all zeros, and the pointer is to a local.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    usage.ru_minflt as u64
}

/// Waits for the end of a child: whether its exit code was 0.
#[cfg(feature = "libfuzzer")]
pub(crate) fn ends_well(child: libc::pid_t) -> bool {
    // A signal that comes meanwhile is no end of it.
    let ended = retry_on_intr(|| waitpid(Pid::from_raw(child), WaitOptions::empty()));
    matches!(ended, Ok(Some((_, status))) if status.exit_status() == Some(0))
}

/// Waits for the end of a child, also of one that ends without a signal.
pub(crate) fn wait_for(child: libc::pid_t) {
    let options = WaitOptions::from_bits_retain(libc::__WALL as u32);
    // A signal that comes meanwhile is no end of it.
    let _ = retry_on_intr(|| waitpid(Pid::from_raw(child), options));
}

fn clock(id: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local; an unknown clock would leave it zero.
    unsafe {
        libc::clock_gettime(id, &raw mut time);
    }
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Ends this process now: no exit handlers, no destructors, no leak check.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: _exit is always allowed; whatever had to be written was written.
    unsafe { libc::_exit(code) }
}

/// Runs `handler` with the exit code when the process ends by `exit`.
pub(crate) fn at_exit(handler: extern "C" fn(libc::c_int, *mut libc::c_void)) {
    unsafe extern "C" {
        fn on_exit(handler: extern "C" fn(libc::c_int, *mut libc::c_void), argument: *mut libc::c_void) -> libc::c_int;
    }
    // SAFETY: glibc has it; the handler is a plain function without unwinding out of it.
    unsafe {
        on_exit(handler, std::ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted() {
        let listed = || std::fs::read_dir("/proc/self/task").unwrap().count();
        // The tests beside this one have threads too, which come and go.
        let agrees = || (0..1000).any(|_| threads() == listed());
        assert!(agrees());
        std::thread::scope(|scope| {
            let holds: Vec<_> = (0..8).map(|_| std::sync::mpsc::channel::<()>()).collect();
            let holds: Vec<_> = holds.into_iter().map(|(hold, wait)| (hold, scope.spawn(move || wait.recv()))).collect();
            assert!(agrees() && threads() > 8);
            drop(holds);
        });
    }
}

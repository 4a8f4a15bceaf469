//! What processes use: processor time, memory, threads.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

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

fn clock(id: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local; an unknown clock would leave it zero.
    unsafe {
        libc::clock_gettime(id, &raw mut time);
    }
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
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

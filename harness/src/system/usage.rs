//! The processor time, memory and threads of processes.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// Number of threads of this process. One if the system does not say.
///
/// Takes no memory from the allocator. `AddressSanitizer` keeps freed memory for a while, so a
/// process that forks often would grow with each call.
pub(crate) fn threads() -> usize {
    let mut stat = [0; 1024];
    let length =
        File::open("/proc/self/stat").and_then(|mut file| file.read(&mut stat)).unwrap_or(0);
    // The name may contain any characters. After it the state is the first field, and the number of
    // threads the eighteenth.
    let fields = std::str::from_utf8(
        &stat[stat[..length].iter().rposition(|byte| *byte == b')').map_or(length, |end| end + 1)
            ..length],
    );
    fields
        .ok()
        .and_then(|fields| fields.split_ascii_whitespace().nth(17)?.parse().ok())
        .unwrap_or(1)
}

/// Processor time of the current thread.
pub(crate) fn thread_time() -> Duration {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of another process so far. Zero if there is no such process.
pub(crate) fn time_of(process: libc::pid_t) -> Duration {
    let mut id = 0;
    // SAFETY: the pointer is to a local. For a process that is gone, the call only returns an
    // error.
    if process == 0 || unsafe { libc::clock_getcpuclockid(process, &raw mut id) } != 0 {
        Duration::ZERO
    } else {
        clock(id)
    }
}

/// Processor time of a child that has ended and is not reaped yet, together with that of the
/// children that it reaped. `None` for another process.
pub(crate) fn time_at_end(child: libc::pid_t) -> Option<Duration> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(Pid::from_raw(child)?), options).ok()??;
    let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).ok()?;
    // The state follows the name, which may contain any characters. Behind it and ten other fields
    // are the times of the process itself, and those of the children that it reaped.
    let (_, rest) = stat.rsplit_once(") ")?;
    let times = rest.split_ascii_whitespace().skip(11).take(4);
    let ticks: u64 = times.map(|ticks| ticks.parse().unwrap_or(0)).sum();
    // SAFETY: only reads a number.
    let ticks_a_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Some(Duration::from_secs_f64(ticks as f64 / ticks_a_second as f64))
}

/// Whether any thread of a process runs or waits for its turn to run. `false` if the system does
/// not say.
pub(crate) fn wants_the_processor(process: libc::pid_t) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return false };
    threads.flatten().any(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The state follows the name, which may contain any characters.
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'))
    })
}

/// Private memory of a process in bytes. 0 if the system does not say.
pub(crate) fn memory_of(process: libc::pid_t) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let mut pages =
        statm.split_whitespace().skip(1).map(|number| number.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    // SAFETY: only reads a number.
    resident.saturating_sub(shared) * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64
}

/// Peak memory of this process in bytes. 0 if the system does not say.
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

/// Number of memory pages that this process got so far. It includes its own copies of shared pages.
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
    // SAFETY: the pointer is to a local. An unknown clock leaves it zero.
    unsafe {
        libc::clock_gettime(id, &raw mut time);
    }
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_child_is_known_when_it_has_ended() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "read line; sh -c 'n=0; while [ $n -lt 200000 ]; do n=$((n+1)); done'"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let process = child.id() as libc::pid_t;
        assert_eq!(time_at_end(process), None);
        drop(child.stdin.take());
        let time = loop {
            if let Some(time) = time_at_end(process) {
                break time;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        assert!(time > Duration::ZERO);
        assert!(child.wait().unwrap().success());
        assert_eq!(time_at_end(process), None);
    }

    #[test]
    fn threads_are_counted() {
        let listed = || std::fs::read_dir("/proc/self/task").unwrap().count();
        // Other tests run in parallel, and their threads come and go.
        let agrees = || (0..1000).any(|_| threads() == listed());
        assert!(agrees());
        std::thread::scope(|scope| {
            let holds: Vec<_> = (0..8).map(|_| std::sync::mpsc::channel::<()>()).collect();
            let holds: Vec<_> = holds
                .into_iter()
                .map(|(hold, wait)| (hold, scope.spawn(move || wait.recv())))
                .collect();
            assert!(agrees() && threads() > 8);
            drop(holds);
        });
    }
}

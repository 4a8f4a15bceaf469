//! The oracle with a count of its runs and of its processor time.

use std::time::Duration;

use crate::oracle::Oracle;

/// Counts the runs of the oracle in this process.
pub struct Counted {
    oracle: Oracle,
    pub runs: u64,
    pub time: Duration,
}

impl Counted {
    pub fn new(oracle: Oracle) -> Counted {
        Counted { oracle, runs: 0, time: Duration::ZERO }
    }

    /// Whether the versions disagree about the module.
    pub fn fails(&mut self, wasm: &[u8]) -> bool {
        let began = process_time();
        let fails = self.oracle.difference(wasm).is_some();
        self.runs += 1;
        self.time += process_time().saturating_sub(began);
        fails
    }
}

/// Processor time of this process so far.
pub fn process_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call only writes to `time`.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec.cast_unsigned() as u32)
}

/// Processor time of all processes that this process waited for.
pub fn children_time() -> Duration {
    // SAFETY: all fields of the structure are numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call only writes to `usage`.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let of = |time: libc::timeval| {
        Duration::new(time.tv_sec.cast_unsigned(), time.tv_usec.cast_unsigned() as u32 * 1000)
    };
    of(usage.ru_utime) + of(usage.ru_stime)
}

/// Makes this process the parent of the processes that its children leave behind.
pub fn adopt() {
    // SAFETY: the call changes a flag of this process.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
}

/// Kills and waits for the processes that are left, so that their time counts.
pub fn wait_for_all() {
    let children = format!("/proc/self/task/{}/children", std::process::id());
    loop {
        let left = std::fs::read_to_string(&children).unwrap_or_default();
        for child in left.split_whitespace().filter_map(|child| child.parse().ok()) {
            // SAFETY: the calls end a child of this process.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, std::ptr::null_mut(), 0);
            }
        }
        if left.is_empty() {
            return;
        }
    }
}

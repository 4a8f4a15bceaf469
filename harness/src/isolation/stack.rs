//! The stack that a worker has left when it enters the target: never less than a process has that runs one file.
//!
//! The system measures the main thread's stack from its upper end, where the arguments and the
//! environment lie. So what is left for the target depends on the environment of each process, and
//! on the functions that call the target. An input that overflows only the smaller stack of a
//! worker would not fail again elsewhere. Each worker raises its limit by what is in use already,
//! and by a margin. What overflows here then overflows in every process with the usual limit.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};

/// The margin, as a part of the limit: 64 KiB of the usual 8 MiB.
///
/// It covers the functions between here and the target, which take a few KiB.
const MARGIN: u64 = 128;

/// Raises the limit of the main thread's stack, if the calling thread is the main thread.
///
/// Where the system does not allow that much, the limit is raised as far as it does. A stack
/// without a limit stays as it is.
pub(super) fn widen() {
    let local = 0u8;
    let Some(used) = used_of_main_stack(black_box(&raw const local).addr()) else { return };
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointers are to a local, and the system calls are on this process alone.
    unsafe {
        let is_known = libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) == 0;
        if !is_known || limit.rlim_cur == libc::RLIM_INFINITY {
            return;
        }
        let wanted = limit.rlim_cur + used + limit.rlim_cur / MARGIN;
        limit.rlim_cur = wanted.min(limit.rlim_max);
        libc::setrlimit(libc::RLIMIT_STACK, &raw const limit);
    }
}

/// How many bytes of the main thread's stack lie above an address on it.
fn used_of_main_stack(address: usize) -> Option<u64> {
    let maps = BufReader::new(File::open("/proc/self/maps").ok()?);
    let stack = maps.lines().map_while(Result::ok).find(|line| line.ends_with("[stack]"))?;
    let (start, end) = stack.split_once(' ')?.0.split_once('-')?;
    let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    (start..end).contains(&address).then(|| (end - address) as u64)
}

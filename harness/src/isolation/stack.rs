//! The stack that a worker leaves to the target: at least as much as a process that runs one file
//! has.
//!
//! The system measures the main thread's stack from its upper end, where the arguments and the
//! environment lie. So the stack that is left for the target depends on the environment of each
//! process. It also depends on the functions that call the target. An input that overflows only the
//! smaller stack of a worker would not fail in other processes. So each worker raises its limit by
//! the bytes that are already in use, and by a margin. An input that overflows here then overflows
//! in every process with the usual limit.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};

/// The margin, as a part of the limit: 32 KiB of the usual 8 MiB.
///
/// The margin covers the functions between here and the target, which take a few KiB. Candidates
/// get two margins. So a kept candidate overflows in every worker that runs it again.
const MARGIN: u64 = 256;

/// The main thread's stack.
#[derive(Clone, Copy)]
pub(super) struct Stack {
    /// The limit at the start of the process.
    limit: libc::rlimit,
    /// How many bytes were in use when this value was made.
    used: u64,
    room: StackRoom,
}

/// How much stack the target has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StackRoom {
    /// The stack is smaller than in other processes, by two margins. So an input that overflows in
    /// only some of these overflows here.
    pub(super) is_narrow: bool,
    /// The run is a candidate, which gets one margin more.
    pub(super) is_for_candidates: bool,
}

impl Stack {
    /// Raises the limit, if the calling thread is the main thread and has a limit.
    ///
    /// If the system allows less, the limit rises only to the allowed maximum.
    pub(super) fn wide() -> Option<Stack> {
        let local = 0u8;
        let used = used_of_main_stack(black_box(&raw const local).addr())?;
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is to a local variable.
        let is_known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) } == 0;
        if !is_known || limit.rlim_cur == libc::RLIM_INFINITY {
            return None;
        }
        let stack =
            Stack { limit, used, room: StackRoom { is_narrow: false, is_for_candidates: false } };
        stack.set();
        Some(stack)
    }

    /// Sets the limit for `room`, unless it is set already.
    pub(super) fn make(&mut self, room: StackRoom) {
        if self.room != room {
            self.room = room;
            self.set();
        }
    }

    fn set(&self) {
        let usual = self.limit.rlim_cur;
        let margin = usual / MARGIN;
        let least =
            if self.room.is_narrow { usual - 2 * margin } else { usual + self.used + margin };
        let wanted = least + if self.room.is_for_candidates { margin } else { 0 };
        let limit = libc::rlimit { rlim_cur: wanted.min(self.limit.rlim_max), ..self.limit };
        // SAFETY: the pointer is to a local variable, and the call affects only this process.
        unsafe { libc::setrlimit(libc::RLIMIT_STACK, &raw const limit) };
    }
}

/// How many bytes of the main thread's stack lie above `address`. `None` if the address lies
/// elsewhere.
fn used_of_main_stack(address: usize) -> Option<u64> {
    let maps = BufReader::new(File::open("/proc/self/maps").ok()?);
    let stack = maps.lines().map_while(Result::ok).find(|line| line.ends_with("[stack]"))?;
    let (start, end) = stack.split_once(' ')?.0.split_once('-')?;
    let (start, end) =
        (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    (start..end).contains(&address).then(|| (end - address) as u64)
}

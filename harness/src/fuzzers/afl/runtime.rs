//! AFL++'s run time, which is linked into the target: the map of the edges that an execution takes.

use std::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    /// Where the edges are counted now.
    static __afl_area_ptr: AtomicPtr<u8>;
    /// How many bytes the map has.
    static __afl_map_size: u32;
    /// Clears the map that afl-fuzz reads, as if nothing had run.
    fn __afl_coverage_discard();
}

/// More than the run time keeps beyond the size it says.
const SPARE: usize = 1 << 16;

/// The map that afl-fuzz reads, and one that nobody does.
///
/// What happens between two executions is counted in the other one: it is none of the input's doing, and depends on the input before.
pub(super) struct Map {
    seen: *mut u8,
    unseen: *mut u8,
}

impl Map {
    /// For this process, whose edges are counted where afl-fuzz reads.
    pub(super) fn new() -> Map {
        // SAFETY: the run time has set both before `main`; the child has one thread that sets the first.
        let (seen, size) = unsafe { (__afl_area_ptr.load(Ordering::Relaxed), __afl_map_size as usize) };
        Map { seen, unseen: Box::leak(vec![0; size + SPARE].into_boxed_slice()).as_mut_ptr() }
    }

    /// From here on edges count.
    #[inline]
    pub(super) fn show(&self) {
        count_at(self.seen);
    }

    /// From here on edges do not count.
    #[inline]
    pub(super) fn hide(&self) {
        count_at(self.unseen);
    }

    /// Forgets this execution: afl-fuzz finds nothing new in it. From here on edges do not count.
    pub(super) fn forget(&self) {
        self.hide();
        // SAFETY: the run time offers this for targets to call between two executions.
        unsafe { __afl_coverage_discard() };
    }
}

/// Counts an edge so many times, where edges count now. An edge without a number, of which the run time does not know, is none.
pub(super) fn take_edge(edge: u32, times: u8) {
    if edge != 0 {
        // SAFETY: the run time has numbered the edge, and the map has room for all that it numbers.
        unsafe { __afl_area_ptr.load(Ordering::Relaxed).add(edge as usize).write(times) };
    }
}

#[inline]
fn count_at(map: *mut u8) {
    // SAFETY: the run time reads the pointer anew for each edge, and each of the two maps is as large as it says.
    unsafe { __afl_area_ptr.store(map, Ordering::Relaxed) };
}

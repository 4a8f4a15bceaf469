//! The runtime of AFL++, which is linked into the target: the map of the edges that an execution
//! takes.

use std::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    /// The map in which the runtime counts edges now.
    static __afl_area_ptr: AtomicPtr<u8>;
    /// The size of the map in bytes.
    static __afl_map_size: u32;
    /// Clears the map that afl-fuzz reads, as if nothing had run.
    fn __afl_coverage_discard();
}

/// Spare bytes behind the size that the runtime reports. The runtime uses fewer than these.
const SPARE: usize = 1 << 16;

/// The map that afl-fuzz reads, and a second map that is never read.
///
/// Between two executions the runtime counts edges in the second map. These edges do not belong to
/// the next input; they depend on the input before.
pub(super) struct Map {
    seen: *mut u8,
    unseen: *mut u8,
}

impl Map {
    /// Makes the maps of this process. The runtime counts its edges in the map that afl-fuzz reads.
    pub(super) fn new() -> Map {
        // SAFETY: the runtime has set both values before `main`. The child sets the first one from
        // its only thread.
        let (seen, size) =
            unsafe { (__afl_area_ptr.load(Ordering::Relaxed), __afl_map_size as usize) };
        Map { seen, unseen: Box::leak(vec![0; size + SPARE].into_boxed_slice()).as_mut_ptr() }
    }

    /// Counts edges from now on.
    #[inline]
    pub(super) fn show(&self) {
        count_at(self.seen);
    }

    /// Stops counting edges.
    #[inline]
    pub(super) fn hide(&self) {
        forget_own();
        count_at(self.unseen);
    }

    /// Erases the edges of this execution, so afl-fuzz finds nothing new in it. Stops counting
    /// edges.
    pub(super) fn forget(&self) {
        self.hide();
        // SAFETY: the runtime offers this function for targets to call between two executions.
        unsafe { __afl_coverage_discard() };
    }
}

/// Forgets how often edges without a number were taken in this execution. Most of them are edges of
/// dwindle.
#[inline]
pub(super) fn forget_own() {
    // SAFETY: the map has room for edge 0. The runtime sets it to 1 before each execution.
    unsafe { __afl_area_ptr.load(Ordering::Relaxed).write(1) };
}

/// Sets the count of an edge to `times` in the current map. Ignores edge 0, because the runtime has
/// not numbered that edge.
pub(super) fn take_edge(edge: u32, times: u8) {
    if edge != 0 {
        // SAFETY: the runtime has numbered the edge, and the map has room for all numbered edges.
        unsafe { __afl_area_ptr.load(Ordering::Relaxed).add(edge as usize).write(times) };
    }
}

#[inline]
fn count_at(map: *mut u8) {
    // SAFETY: the runtime reads the pointer again for each edge, and both maps have at least the
    // size that it reports.
    unsafe { __afl_area_ptr.store(map, Ordering::Relaxed) };
}

//! The edges that one run of the target covers.
//!
//! A worker clears the counters before such a run. The first of these writes the numbers of the
//! counters that are set into shared memory:
//!
//! - A panic, before it unwinds. Unwinding runs code that no passing run reaches.
//! - The handler of a death, before everything else.
//! - The worker, after a run that did not fail.

use std::ffi::c_void;
use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::counters::{start, stop};
use super::fork_server::Requests;
use super::shared::{Area, Outgoing, Shared};

/// The area for the numbers, while a run is waited for. Otherwise null.
static AREA: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Whether this build counts edges.
pub(super) fn is_counted() -> bool {
    stop() > start()
}

/// Clears the counters, so that they count the run that follows.
pub(super) fn begin(shared: &'static Shared<Requests>) {
    shared.clear(Area::Covered);
    // SAFETY: the linker gives the addresses of the counters. A counter that changes meanwhile does
    // no harm.
    unsafe {
        ptr::with_exposed_provenance_mut::<u8>(start()).write_bytes(0, stop() - start());
    };
    AREA.store(shared.place(Area::Covered), Ordering::Release);
}

/// Writes which counters are set, if the run is waited for and nothing wrote it before. It takes no
/// lock and allocates nothing, so a handler may call it.
pub(super) fn end() {
    let area = AREA.swap(null_mut(), Ordering::AcqRel);
    if area.is_null() {
        return;
    }
    // SAFETY: only the one caller that got the area writes to it.
    let mut numbers = unsafe { Outgoing::at(area) };
    for word in (start()..stop()).step_by(size_of::<u64>()) {
        let end = (word + size_of::<u64>()).min(stop());
        // SAFETY: the linker gives the addresses of the counters, and the word ends before theirs.
        let is_set = end - word < size_of::<u64>()
            || unsafe { ptr::with_exposed_provenance::<u64>(word).read_unaligned() } != 0;
        // Most counters are zero.
        for counter in (word..end).filter(|_| is_set) {
            // SAFETY: as above.
            if unsafe { ptr::with_exposed_provenance::<u8>(counter).read() } != 0 {
                numbers.raw(&((counter - start()) as u32).to_le_bytes());
            }
        }
    }
    numbers.publish();
}

/// The numbers that a run wrote.
pub(super) fn read(bytes: &[u8]) -> Vec<u32> {
    let numbers = bytes.as_chunks::<4>().0.iter();
    numbers.map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

//! The counters of this executable's edges, and the places of code that they count.
//!
//! Relies on LLVM: counters and places stand in the sections `__sancov_cntrs` and `__sancov_pcs` in
//! the same order. A build without them has no counters here.

use std::ptr;

// The bounds of the counters and of the places that they count, if the build has any. The symbols
// are weak, and stable Rust cannot declare weak symbols. The linker makes their names from the
// names of the sections.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak __start___sancov_cntrs",
    ".weak __stop___sancov_cntrs",
    ".weak __start___sancov_pcs",
    ".weak __stop___sancov_pcs",
    ".globl dwindle_counters",
    ".hidden dwindle_counters",
    "dwindle_counters:",
    ".quad __start___sancov_cntrs",
    ".quad __stop___sancov_cntrs",
    ".quad __start___sancov_pcs",
    ".quad __stop___sancov_pcs",
    ".popsection",
);

unsafe extern "C" {
    safe static dwindle_counters: [usize; 4];
}

/// The address of an instruction, and whether a function begins there.
pub(crate) type Place = [usize; 2];

/// Where the counters begin and end, and where the places begin and end.
#[cfg(feature = "libfuzzer")]
#[inline]
pub(crate) fn bounds() -> [usize; 4] {
    dwindle_counters
}

/// Where the counters begin.
#[inline]
pub(crate) fn start() -> usize {
    dwindle_counters[0]
}

/// Where the counters end.
#[inline]
pub(crate) fn stop() -> usize {
    // Other builds may have counters without places, and some linkers drop the places. Then dwindle
    // leaves the counters as the compiler has them.
    let [start, stop, places, places_stop] = dwindle_counters;
    if (places_stop - places) / size_of::<Place>() == stop - start { stop } else { start }
}

/// The place of a counter.
#[inline]
pub(crate) fn place(counter: usize) -> *const Place {
    ptr::with_exposed_provenance::<Place>(dwindle_counters[2]).wrapping_add(counter - start())
}

/// All places.
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
pub(crate) fn places() -> &'static [Place] {
    let [_, _, start, stop] = dwindle_counters;
    if start == stop {
        return &[];
    }
    // SAFETY: the linker gives the bounds, and the section does not change.
    unsafe {
        std::slice::from_raw_parts(
            ptr::with_exposed_provenance(start),
            (stop - start) / size_of::<Place>(),
        )
    }
}

/// The address of the function that begins at a place, if one does.
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
pub(crate) fn begins_function([address, flags]: Place) -> Option<usize> {
    (flags & 1 != 0).then_some(address)
}

/// The address of the code that the counter with this number counts. `None` without such a
/// counter.
pub(crate) fn code_at(number: u32) -> Option<usize> {
    let counter = start().checked_add(number as usize).filter(|counter| *counter < stop())?;
    // SAFETY: there are as many places as counters.
    let [address, _] = unsafe { place(counter).read() };
    Some(address)
}

/// The number of the first counter of the function that this counter belongs to.
pub(crate) fn entry_of(number: u32) -> u32 {
    let begins = |number: &u32| {
        let counter = start() + *number as usize;
        // SAFETY: there are as many places as counters.
        counter < stop() && unsafe { place(counter).read() }[1] & 1 != 0
    };
    (0..=number).rev().find(begins).unwrap_or(number)
}

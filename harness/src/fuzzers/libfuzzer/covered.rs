//! How many edges libFuzzer has covered: the figure `cov` of its status lines.
//!
//! Relies on libFuzzer (`FuzzerTracePC.cpp`): `fuzzer::TPC` holds the covered edges, and
//! `TracePC::GetTotalPCCoverage` counts them without a loop. The test is
//! `the_events_have_the_estimate` in `xtask/tests/end_to_end/coverage.rs`.

use std::ffi::c_void;

// The symbols are weak because test binaries have no libFuzzer.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak _ZN6fuzzer3TPCE",
    ".weak _ZN6fuzzer7TracePC18GetTotalPCCoverageEv",
    ".globl dwindle_libfuzzer_coverage",
    ".hidden dwindle_libfuzzer_coverage",
    "dwindle_libfuzzer_coverage:",
    ".quad _ZN6fuzzer3TPCE",
    ".quad _ZN6fuzzer7TracePC18GetTotalPCCoverageEv",
    ".popsection",
);

/// What this file needs of libFuzzer. Both are empty in a test binary.
#[repr(C)]
struct Symbols {
    coverage: *mut c_void,
    count: Option<unsafe extern "C" fn(*mut c_void) -> usize>,
}

// SAFETY: the addresses do not change, and only libFuzzer's thread uses them.
unsafe impl Sync for Symbols {}

unsafe extern "C" {
    safe static dwindle_libfuzzer_coverage: Symbols;
}

/// The number of covered edges. 0 without libFuzzer. libFuzzer counts the edges of an execution
/// after the execution.
#[inline]
pub(super) fn covered() -> usize {
    let Symbols { coverage, count } = &dwindle_libfuzzer_coverage;
    // SAFETY: libFuzzer made the object before `main`, and this is the only thread that uses it.
    count.map_or(0, |count| unsafe { count(*coverage) })
}

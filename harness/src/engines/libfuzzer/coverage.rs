//! Keeping our own work out of the coverage that guides the fuzzer.
//!
//! A fuzz crate is built with coverage instrumentation, and so is dwindle in it. What the session does now and then (a table, a process, a file) would look to
//! libFuzzer like something the input has done, and would fill the corpus with inputs that did nothing.

use std::arch::global_asm;

// The linker defines both symbols around the counters of an executable that has some; weak, so that one without links too.
#[cfg(target_pointer_width = "64")]
global_asm!(
    ".weak __start___sancov_cntrs",
    ".weak __stop___sancov_cntrs",
    ".pushsection .data.rel.ro.dwindle_counters,\"aw\",@progbits",
    ".balign 8",
    ".globl dwindle_counters",
    "dwindle_counters:",
    ".quad __start___sancov_cntrs",
    ".quad __stop___sancov_cntrs",
    ".popsection",
);

unsafe extern "C" {
    #[link_name = "dwindle_counters"]
    static COUNTERS: [*mut u8; 2];
}

/// Forgets what was covered since the execution began. Call it before the target runs.
pub(crate) fn forget() {
    // SAFETY: the two pointers are the ends of the section of inline 8-bit counters, or both null. The counters are plain bytes that instrumented code
    // increments without synchronization, and libFuzzer itself clears them in this way.
    unsafe {
        let [start, stop] = COUNTERS;
        if !start.is_null() {
            start.write_bytes(0, stop.offset_from_unsigned(start));
        }
    }
}

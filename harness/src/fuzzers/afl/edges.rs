//! Which edges AFL++ counts: those of the target, and those of scores.
//!
//! The runtime of AFL++ numbers the edges of a module before `main`, unless the first edge of the
//! module has a number. It counts all edges without a number at 0 of its map. So dwindle has all
//! edges numbered except those of its own code.
//!
//! To know which edges these are, dwindle needs a table of the compiler, which `cargo dwindle run
//! --engine afl` asks for. Without it, all edges count.

use std::sync::atomic::AtomicU32;

use crate::environment;
use crate::fuzzers::own::{own, without};
use crate::isolation::counters::places;

use super::scores::GUARDS;

unsafe extern "C" {
    /// The runtime numbers these edges, unless the first one has a number.
    fn __sanitizer_cov_trace_pc_guard_init(start: *const AtomicU32, stop: *const AtomicU32);
}

// The bounds of the edges' numbers, as in `isolation/counters.rs`. Code with the table of places
// also calls a function that the runtime of AFL++ mostly lacks.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak __start___sancov_guards",
    ".weak __stop___sancov_guards",
    ".globl dwindle_guards",
    ".hidden dwindle_guards",
    "dwindle_guards:",
    ".quad __start___sancov_guards",
    ".quad __stop___sancov_guards",
    ".popsection",
    ".pushsection .text.dwindle, \"ax\"",
    ".weak __sanitizer_cov_pcs_init",
    "__sanitizer_cov_pcs_init:",
    "ret",
    ".popsection",
);

unsafe extern "C" {
    safe static dwindle_guards: [usize; 2];
}

/// Runs before the compiler's own constructors, which have all edges numbered.
#[used]
#[unsafe(link_section = ".init_array.1")]
static FIRST: extern "C" fn() = {
    extern "C" fn first() {
        number(GUARDS.as_ptr(), GUARDS.len());
        let [start, stop] = dwindle_guards;
        let start = std::ptr::with_exposed_provenance::<AtomicU32>(start);
        let count = (stop - start.addr()) / size_of::<AtomicU32>();
        if count == places().len() && count > 0 && !environment::is_off() {
            // The first edge has a number, so that the runtime takes the module as done.
            number(start, 1);
            for run in without(1..count, own()) {
                number(start.wrapping_add(run.start), run.len());
            }
        }
    }
    first
};

fn number(start: *const AtomicU32, count: usize) {
    // SAFETY: there are as many numbers, and nothing runs beside a constructor.
    unsafe { __sanitizer_cov_trace_pc_guard_init(start, start.wrapping_add(count)) };
}

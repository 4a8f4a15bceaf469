//! Comparison tracing: only a process that fuzzes needs it.
//!
//! In a build for libFuzzer each comparison calls it, those of our own crates too: a good part of what a small candidate takes. There
//! are two ways to disable that:
//!
//! - The gate. `cargo dwindle` builds with `-sanitizer-coverage-gated-trace-callbacks`: the code asks a variable before each of these
//!   calls, and does not call while it is 0. A constructor opens the gate; a process that does not fuzz closes it.
//! - In builds without the gate, as `cargo fuzz` makes them, the functions are written over in the memory of this process alone: they
//!   return at once. Only on x86-64, and where the system lets code be written. It stays because it pays: see the rows of
//!   `silenced-tracing` that `cargo xtask evidence ablation` prints for `AddressSanitizer`.
//!
//! Relies on LLVM: the variable is called `__sancov_should_track`, has 64 bits, and every object that asks it defines it weakly; the
//! functions return nothing. Tests: `the_functions_return_at_once` below, and in `xtask/tests/end_to_end/properties.rs` those whose
//! names begin with `the_gate`. The switch is `silenced-tracing`; without it every process traces.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::switches::Switch;

// The gate, if this build has one: a weak symbol.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".globl dwindle_gate",
    ".hidden dwindle_gate",
    "dwindle_gate:",
    ".weak __sancov_should_track",
    ".quad __sancov_should_track",
    ".popsection",
);

unsafe extern "C" {
    safe static dwindle_gate: Option<&'static AtomicU64>;
}

/// Names the functions, by weak symbols: a build for no fuzzer has none of them.
macro_rules! functions {
    ($count:literal: $($name:ident)*) => {
        std::arch::global_asm!(
            ".pushsection .data.rel.ro.dwindle, \"aw\"",
            ".balign 8",
            ".globl dwindle_traces",
            ".hidden dwindle_traces",
            "dwindle_traces:",
            $(concat!(".weak ", stringify!($name)), concat!(".quad ", stringify!($name)),)*
            ".popsection",
        );

        unsafe extern "C" {
            /// Where they are; 0 for those that there are not.
            safe static dwindle_traces: [usize; $count];
        }
    };
}

functions! { 13:
    __sanitizer_cov_trace_cmp1
    __sanitizer_cov_trace_cmp2
    __sanitizer_cov_trace_cmp4
    __sanitizer_cov_trace_cmp8
    __sanitizer_cov_trace_const_cmp1
    __sanitizer_cov_trace_const_cmp2
    __sanitizer_cov_trace_const_cmp4
    __sanitizer_cov_trace_const_cmp8
    __sanitizer_cov_trace_switch
    __sanitizer_cov_trace_div4
    __sanitizer_cov_trace_div8
    __sanitizer_cov_trace_gep
    __sanitizer_cov_trace_pc_indir
}

/// The instruction that returns.
const RETURN: Option<u8> = if cfg!(target_arch = "x86_64") { Some(0xC3) } else { None };

/// Whether this process has said that it does not fuzz.
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Whether comparisons are no longer traced in this process, so that it must not fuzz.
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
pub(super) fn have_ended() -> bool {
    HAS_ENDED.load(Ordering::Relaxed)
}

/// Opens the gate before `main`, so that a process in which dwindle does nothing traces as any target of libFuzzer does.
#[cfg(feature = "libfuzzer")]
#[used]
#[unsafe(link_section = ".init_array.1")]
static OPEN: extern "C" fn() = {
    extern "C" fn open() {
        if let Some(gate) = dwindle_gate {
            gate.store(1, Ordering::Relaxed);
        }
    }
    open
};

/// Comparisons are no longer traced, in this process and in those forked from it. It does not fuzz, and should have one thread only.
pub(super) fn end() {
    if !Switch::SilencedTracing.is_on() {
        return;
    }
    HAS_ENDED.store(true, Ordering::Relaxed);
    match dwindle_gate {
        Some(gate) => gate.store(0, Ordering::Relaxed),
        None => write_over(),
    }
}

/// Has the functions return at once, in builds without the gate.
fn write_over() {
    let Some(instruction) = RETURN else { return };
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    for function in dwindle_traces.into_iter().filter(|function| *function != 0) {
        let (start, function) = (with_exposed_provenance_mut::<c_void>(function / page * page), with_exposed_provenance_mut::<u8>(function));
        // SAFETY: the page holds the function, which takes what it works on in registers and returns nothing, so that it may return at
        // its first instruction. No thread is in the middle of it. A system that lets no code be written leaves all as it is.
        unsafe {
            if function.read_volatile() != instruction && libc::mprotect(start, page, libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) == 0 {
                function.write_volatile(instruction);
                libc::mprotect(start, page, libc::PROT_READ | libc::PROT_EXEC);
            }
        }
    }
}

#[cfg(all(test, feature = "libfuzzer", target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_functions_return_at_once() {
        assert!(dwindle_traces.iter().all(|function| *function != 0), "libFuzzer has other names for them: {dwindle_traces:x?}");
        assert!(dwindle_gate.is_none(), "these tests are not built with coverage");
        end();
        assert!(have_ended());
        for function in dwindle_traces {
            // SAFETY: code can be read; the function takes numbers, or none, and returns at once.
            unsafe {
                assert_eq!(Some(std::ptr::with_exposed_provenance::<u8>(function).read_volatile()), RETURN);
                let function: extern "C" fn(u64, u64) = std::mem::transmute(function);
                function(1, 2);
            }
        }
    }
}

//! Comparison tracing, which is needed only while a fuzzer runs the target.
//!
//! In a build for libFuzzer every comparison calls a trace function, in dwindle's own crates too.
//! These calls are a large part of the time of a small candidate. In a fuzzer, dwindle's own
//! comparisons also push those of the target out of libFuzzer's tables. This module disables the
//! calls in two ways:
//!
//! - The gate. `cargo dwindle` builds with `-sanitizer-coverage-gated-trace-callbacks`. The code
//!   then reads a variable before each of these calls, and skips the call while the variable is 0.
//!   A constructor opens the gate. A process that does not fuzz closes it. A fuzzer opens it
//!   before each execution and closes it after.
//! - Overwriting, in builds without the gate, such as those of `cargo fuzz`. The module overwrites
//!   the functions in the memory of this process alone, so that they return at once. This works
//!   only on x86-64, and where the system allows writing to code. It stays because it pays: see the
//!   rows of `silenced-tracing` that `cargo xtask evidence ablation` prints for `AddressSanitizer`.
//!
//! The module relies on LLVM. The variable is called `__sancov_should_track` and has 64 bits. Every
//! object that reads it defines it weakly. The functions return nothing.
//!
//! One test is `the_functions_return_at_once_until_tracing_resumes` below. The others are in
//! `xtask/tests/end_to_end/libfuzzer.rs`, and their names begin with `the_gate`. The switch is
//! `silenced-tracing`. Without it every process traces comparisons.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use crate::switches::Switch;

// The gate is a weak symbol. A build without the gate lacks it.
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

/// Names the trace functions by weak symbols. A build without a fuzzer lacks the functions.
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
            /// The address of each function, or 0 if the build lacks it.
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

/// The instruction that returns. `None` on processors other than x86-64.
const RETURN: Option<u8> = if cfg!(target_arch = "x86_64") { Some(0xC3) } else { None };

/// Whether this process has declared that it does not fuzz.
static IS_DISABLED: AtomicBool = AtomicBool::new(false);

/// Whether comparison tracing is disabled in this process, which then must not fuzz.
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
pub(super) fn is_disabled() -> bool {
    IS_DISABLED.load(Ordering::Relaxed)
}

/// Opens the gate before `main`. So a process in which dwindle does nothing traces like any target
/// of libFuzzer.
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

/// Disables comparison tracing in this process and in its later forks. The process must not fuzz,
/// and should have one thread only.
pub(super) fn disable() {
    if !Switch::SilencedTracing.is_on() {
        return;
    }
    IS_DISABLED.store(true, Ordering::Relaxed);
    match dwindle_gate {
        Some(gate) => gate.store(0, Ordering::Relaxed),
        None => write_over(),
    }
}

/// Runs the target in a fuzzer: in builds with the gate, this process traces comparisons only here
/// from now on.
#[cfg(feature = "libfuzzer")]
#[inline]
pub(crate) fn traced<T>(run: impl FnOnce() -> T) -> T {
    let Some(gate) = dwindle_gate.filter(|_| Switch::SilencedTracing.is_on()) else {
        return run();
    };
    gate.store(1, Ordering::Relaxed);
    let result = run();
    gate.store(0, Ordering::Relaxed);
    result
}

/// Enables comparison tracing again, in a fork of a process that disabled it. The fork may fuzz.
///
/// # Panics
/// Panics if the system now forbids writing to code.
#[cfg(feature = "libfuzzer")]
pub(super) fn enable() {
    if !IS_DISABLED.swap(false, Ordering::Relaxed) {
        return;
    }
    match dwindle_gate {
        Some(gate) => gate.store(1, Ordering::Relaxed),
        None => write_back(),
    }
}

/// The first byte of each function that was overwritten. [`RETURN`] for the other functions.
static FIRST: [AtomicU8; 13] = [const { AtomicU8::new(0xC3) }; 13];

/// Restores the functions that [`write_over`] has changed.
#[cfg(feature = "libfuzzer")]
fn write_back() {
    for (function, first) in dwindle_traces.into_iter().zip(&FIRST) {
        let first = first.swap(0xC3, Ordering::Relaxed);
        if Some(first) != RETURN {
            assert!(
                write(function, first),
                "the system now forbids writing to code, but allowed it before"
            );
        }
    }
}

/// Makes the functions return at once, in builds without the gate.
fn write_over() {
    let Some(instruction) = RETURN else { return };
    for (function, first) in dwindle_traces.into_iter().zip(&FIRST) {
        if function == 0 {
            continue;
        }
        // SAFETY: code is readable.
        let before = unsafe { with_exposed_provenance_mut::<u8>(function).read_volatile() };
        if before != instruction && write(function, instruction) {
            first.store(before, Ordering::Relaxed);
        }
    }
}

/// Replaces the first byte of a trace function. Returns `false` if the system forbids writing to
/// code. Then nothing changes.
fn write(function: usize, byte: u8) -> bool {
    // SAFETY: the call only returns a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let (start, function) = (
        with_exposed_provenance_mut::<c_void>(function / page * page),
        with_exposed_provenance_mut::<u8>(function),
    );
    // SAFETY: the page holds the function. The function takes its arguments in registers and
    // returns nothing, so it may return at its first instruction. No thread runs it now.
    unsafe {
        if libc::mprotect(start, page, libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) != 0 {
            return false;
        }
        function.write_volatile(byte);
        libc::mprotect(start, page, libc::PROT_READ | libc::PROT_EXEC);
    }
    true
}

#[cfg(all(test, feature = "libfuzzer", target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_functions_return_at_once_until_tracing_resumes() {
        assert!(
            dwindle_traces.iter().all(|function| *function != 0),
            "libFuzzer has other names for them: {dwindle_traces:x?}"
        );
        assert!(dwindle_gate.is_none(), "these tests are not built with coverage");
        // SAFETY: code is readable.
        let first = |function: usize| unsafe {
            std::ptr::with_exposed_provenance::<u8>(function).read_volatile()
        };
        let before = dwindle_traces.map(first);
        disable();
        assert!(is_disabled());
        for function in dwindle_traces {
            assert_eq!(Some(first(function)), RETURN);
            // SAFETY: the function takes numbers or nothing, and returns at once.
            unsafe {
                let function: extern "C" fn(u64, u64) = std::mem::transmute(function);
                function(1, 2);
            }
        }
        enable();
        assert!(!is_disabled());
        assert_eq!(dwindle_traces.map(first), before);
    }
}

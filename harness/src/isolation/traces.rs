//! What a fuzzer is told of comparisons, which a process that does not fuzz does without.
//!
//! In a build for libFuzzer each comparison calls it, those of our own crates too: a good part of what a small candidate takes. There is no switch for that; so where
//! processor and system allow it, the functions are written over, in the memory of this process alone: they return at once. In a build for AFL++ some of them are
//! AFL++'s own.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicBool, Ordering};

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

static SILENT: AtomicBool = AtomicBool::new(false);

/// Whether this process is one that must not fuzz.
#[cfg(any(feature = "libfuzzer", feature = "afl"))]
pub(super) fn are_silent() -> bool {
    SILENT.load(Ordering::Relaxed)
}

/// From now on nobody traces comparisons in this process, nor in those forked from it. It must not fuzz, and should have one thread only.
pub(super) fn silence() {
    SILENT.store(true, Ordering::Relaxed);
    let Some(instruction) = RETURN else { return };
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    for function in dwindle_traces.into_iter().filter(|function| *function != 0) {
        let (start, function) = (with_exposed_provenance_mut::<c_void>(function / page * page), with_exposed_provenance_mut::<u8>(function));
        // SAFETY: the page holds the function, which takes what it works on in registers and returns nothing, so that it may return at its first instruction. Nobody
        // is in the middle of it. A system that lets no code be written leaves all as it is.
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
        silence();
        assert!(are_silent());
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

//! Makes libFuzzer ask dwindle for each input, see `choice_mutations.rs`.
//!
//! Relies on libFuzzer: `fuzzer::EF` points to its table of optional functions, which begins with
//! `LLVMFuzzerInitialize` and `LLVMFuzzerCustomMutator`. libFuzzer reads the second one after
//! `LLVMFuzzerInitialize` has returned. A symbol of that name would change runs in passthrough. The
//! test is `choices_are_mutated` in `xtask/tests/end_to_end/libfuzzer.rs`. The switch is
//! `choice-mutations`.

use std::ffi::c_uint;
use std::slice;

use super::{PURPOSE, Purpose};
use crate::switches::Switch;

// The symbols are weak because test binaries have no libFuzzer.
std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak _ZN6fuzzer2EFE",
    ".weak LLVMFuzzerInitialize",
    ".globl dwindle_libfuzzer_functions",
    ".hidden dwindle_libfuzzer_functions",
    "dwindle_libfuzzer_functions:",
    ".quad _ZN6fuzzer2EFE",
    ".quad LLVMFuzzerInitialize",
    ".popsection",
);

type CustomMutator = extern "C" fn(*mut u8, usize, usize, c_uint) -> usize;

/// The first entries of libFuzzer's table.
#[repr(C)]
struct Functions {
    initialize: usize,
    custom_mutator: Option<CustomMutator>,
}

/// What this file needs of libFuzzer and of the target. Both are null in a test binary.
#[repr(C)]
struct Symbols {
    /// Where libFuzzer keeps the address of its table.
    table: *mut *mut Functions,
    initialize: usize,
}

// SAFETY: the addresses do not change, and only libFuzzer's thread uses them.
unsafe impl Sync for Symbols {}

unsafe extern "C" {
    safe static dwindle_libfuzzer_functions: Symbols;
}

/// Makes libFuzzer ask dwindle for each input. Returns whether it will. Call this once, while
/// `LLVMFuzzerInitialize` runs.
pub(super) fn install() -> bool {
    let functions = functions();
    let is_possible = functions.is_some();
    if let Some(functions) = functions {
        functions.custom_mutator = Some(mutate);
    }
    is_possible
}

/// Whether [`install`] will succeed.
pub(super) fn is_possible() -> bool {
    functions().is_some()
}

/// libFuzzer's table. `None` if the switch is off, if the target has a mutator, or if the table is
/// not as expected.
fn functions() -> Option<&'static mut Functions> {
    let Symbols { table, initialize } = &dwindle_libfuzzer_functions;
    if !Switch::ChoiceMutations.is_on() || table.is_null() {
        return None;
    }
    // SAFETY: libFuzzer made its table before it called `LLVMFuzzerInitialize`, which runs now. No
    // other reference to it is kept.
    let functions = unsafe { (**table).as_mut() }?;
    let is_as_expected = functions.initialize == *initialize && functions.custom_mutator.is_none();
    is_as_expected.then_some(functions)
}

/// Makes the next input. libFuzzer gives a buffer of `max` bytes, the first `size` of which are the
/// input to mutate.
extern "C" fn mutate(data: *mut u8, size: usize, max: usize, seed: c_uint) -> usize {
    // SAFETY: libFuzzer's buffer has room for the larger of both sizes.
    let data = unsafe { slice::from_raw_parts_mut(data, size.max(max)) };
    if let Ok(mut purpose) = PURPOSE.try_lock()
        && let Some(Purpose::Fuzz(fuzzer)) = purpose.as_mut()
    {
        fuzzer.mutate((data, size, max), seed)
    } else {
        libfuzzer_sys::fuzzer_mutate(data, size, max)
    }
}

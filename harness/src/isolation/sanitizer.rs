//! The functions of `AddressSanitizer` that a worker uses. A build without `AddressSanitizer` lacks
//! these symbols. So they are weak symbols, which Rust itself cannot declare yet.
//!
//! The switch `unwatched-frames` controls [`watch_returned_frames`]. That function relies on LLVM:
//! instrumented functions read `__asan_option_detect_stack_use_after_return` on entry. If a
//! compiler never reads it, the check stays as it was.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::switches::Switch;

std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak __asan_get_report_description",
    ".globl dwindle_asan_report_description",
    ".hidden dwindle_asan_report_description",
    "dwindle_asan_report_description: .quad __asan_get_report_description",
    ".weak __asan_option_detect_stack_use_after_return",
    ".globl dwindle_asan_keeps_frames",
    ".hidden dwindle_asan_keeps_frames",
    "dwindle_asan_keeps_frames: .quad __asan_option_detect_stack_use_after_return",
    ".weak __sanitizer_install_malloc_and_free_hooks",
    ".globl dwindle_sanitizer_install_hooks",
    ".hidden dwindle_sanitizer_install_hooks",
    "dwindle_sanitizer_install_hooks: .quad __sanitizer_install_malloc_and_free_hooks",
    ".weak __sanitizer_set_report_fd",
    ".globl dwindle_sanitizer_set_report_fd",
    ".hidden dwindle_sanitizer_set_report_fd",
    "dwindle_sanitizer_set_report_fd: .quad __sanitizer_set_report_fd",
    ".weak __lsan_do_recoverable_leak_check",
    ".globl dwindle_lsan_check",
    ".hidden dwindle_lsan_check",
    "dwindle_lsan_check: .quad __lsan_do_recoverable_leak_check",
    ".weak __asan_get_report_address",
    ".globl dwindle_asan_report_address",
    ".hidden dwindle_asan_report_address",
    "dwindle_asan_report_address: .quad __asan_get_report_address",
    ".weak __asan_get_free_stack",
    ".globl dwindle_asan_free_stack",
    ".hidden dwindle_asan_free_stack",
    "dwindle_asan_free_stack: .quad __asan_get_free_stack",
    ".popsection",
);

unsafe extern "C" {
    safe static dwindle_asan_report_description: Option<extern "C" fn() -> *const c_char>;
    safe static dwindle_asan_keeps_frames: Option<&'static AtomicI32>;
    safe static dwindle_sanitizer_install_hooks:
        Option<unsafe extern "C" fn(MallocHook, FreeHook) -> c_int>;
    safe static dwindle_sanitizer_set_report_fd: Option<extern "C" fn(*mut c_void)>;
    safe static dwindle_lsan_check: Option<extern "C" fn() -> c_int>;
    safe static dwindle_asan_report_address: Option<extern "C" fn() -> *mut c_void>;
    safe static dwindle_asan_free_stack:
        Option<unsafe extern "C" fn(*mut c_void, *mut usize, usize, *mut c_int) -> usize>;
}

/// The sanitizer calls this hook with each allocated block and its size.
type MallocHook = extern "C" fn(*const c_void, usize);
/// The sanitizer calls this hook with each freed block.
type FreeHook = extern "C" fn(*const c_void);

/// The function that installs two hooks, for allocated and for freed memory.
pub(crate) fn install_hooks() -> Option<unsafe extern "C" fn(MallocHook, FreeHook) -> c_int> {
    dwindle_sanitizer_install_hooks
}

/// The function that sends the output of the sanitizers to a descriptor.
pub(super) fn set_report_fd() -> Option<extern "C" fn(*mut c_void)> {
    dwindle_sanitizer_set_report_fd
}

/// The function that looks for leaks, reports them, and returns whether it found any.
pub(super) fn leak_check() -> Option<extern "C" fn() -> c_int> {
    dwindle_lsan_check
}

/// The sanitizer's name for the error that it is reporting. Empty if there is no error.
pub(super) fn error() -> &'static [u8] {
    let text =
        dwindle_asan_report_description.map_or(std::ptr::null(), |description| description());
    // SAFETY: the sanitizer returns null, or a C string that outlives the process.
    if text.is_null() { b"" } else { unsafe { CStr::from_ptr(text) }.to_bytes() }
}

/// The return addresses of the call that freed the block in the current error report, innermost
/// first. Empty if the block is not free.
pub(super) fn freed_by(addresses: &mut [usize]) -> &[usize] {
    let (Some(report_address), Some(free_stack)) =
        (dwindle_asan_report_address, dwindle_asan_free_stack)
    else {
        return &[];
    };
    let mut thread = 0;
    // SAFETY: the sanitizer writes at most `addresses.len()` addresses, and the number of a thread.
    let count = unsafe {
        free_stack(report_address(), addresses.as_mut_ptr(), addresses.len(), &raw mut thread)
    };
    &addresses[..count.min(addresses.len())]
}

/// Sets whether the sanitizer watches the frames of functions after they return. It applies to
/// functions that are entered from now on. If the user disabled this check, it stays disabled.
///
/// With the check, each panic walks over all kept frames. The walk takes about 70 microseconds,
/// several times as long as the rest of a small candidate. The flag may change at any time:
/// instrumented functions read it on entry, and each leaves its frame as it found it. A process
/// that runs only dwindle's own functions disables the check, because each kept frame is fresh
/// memory.
pub(super) fn watch_returned_frames(on: bool) {
    static WANTED: OnceLock<i32> = OnceLock::new();
    if let Some(flag) = dwindle_asan_keeps_frames {
        let wanted = *WANTED.get_or_init(|| flag.load(Ordering::Relaxed));
        let is_watched = on || !Switch::UnwatchedFrames.is_on();
        flag.store(if is_watched { wanted } else { 0 }, Ordering::Relaxed);
    }
}

/// Whether this build has `AddressSanitizer`.
pub(crate) fn is_there() -> bool {
    dwindle_asan_report_description.is_some()
}

//! What `AddressSanitizer` offers a worker. A build without it has none of these symbols: they are weak, which the language has no words for yet.
//!
//! [`watch_returned_frames`] is the switch `unwatched-frames`. It relies on LLVM: instrumented functions read
//! `__asan_option_detect_stack_use_after_return` when they are entered. A compiler that never reads it leaves the check as it was.

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
    safe static dwindle_sanitizer_install_hooks: Option<unsafe extern "C" fn(MallocHook, FreeHook) -> c_int>;
    safe static dwindle_sanitizer_set_report_fd: Option<extern "C" fn(*mut c_void)>;
    safe static dwindle_lsan_check: Option<extern "C" fn() -> c_int>;
    safe static dwindle_asan_report_address: Option<extern "C" fn() -> *mut c_void>;
    safe static dwindle_asan_free_stack: Option<unsafe extern "C" fn(*mut c_void, *mut usize, usize, *mut c_int) -> usize>;
}

/// Called with each piece of memory that is taken, and its size.
type MallocHook = extern "C" fn(*const c_void, usize);
/// Called with each piece that is given back.
type FreeHook = extern "C" fn(*const c_void);

/// Has two functions called whenever memory is taken or given back.
pub(super) fn install_hooks() -> Option<unsafe extern "C" fn(MallocHook, FreeHook) -> c_int> {
    dwindle_sanitizer_install_hooks
}

/// Sends what the sanitizers write to a descriptor.
pub(super) fn set_report_fd() -> Option<extern "C" fn(*mut c_void)> {
    dwindle_sanitizer_set_report_fd
}

/// Looks for leaks, reports them, and says whether there are any.
pub(super) fn leak_check() -> Option<extern "C" fn() -> c_int> {
    dwindle_lsan_check
}

/// The word for the error that is being reported; empty if there is none.
pub(super) fn error() -> &'static [u8] {
    let text = dwindle_asan_report_description.map_or(std::ptr::null(), |description| description());
    // SAFETY: the sanitizer returns a C string that outlives the process, or none.
    if text.is_null() { b"" } else { unsafe { CStr::from_ptr(text) }.to_bytes() }
}

/// The return addresses of the call that freed the block of which an error is being reported, innermost first; none if it is not free.
pub(super) fn freed_by(addresses: &mut [usize]) -> &[usize] {
    let (Some(report_address), Some(free_stack)) = (dwindle_asan_report_address, dwindle_asan_free_stack) else { return &[] };
    let mut thread = 0;
    // SAFETY: the sanitizer writes at most as many addresses as there is room for, and the number of a thread.
    let count = unsafe { free_stack(report_address(), addresses.as_mut_ptr(), addresses.len(), &raw mut thread) };
    &addresses[..count.min(addresses.len())]
}

/// Whether functions entered from now on have their frames watched after they returned, if the user wants that at all.
///
/// Each panic then takes a walk over all the frames that were kept, some 70 microseconds: several times what the rest of a small candidate takes. Instrumented
/// functions look at this flag when they are entered, and each leaves its frame as it came to it, so it may change at any time. A process that runs our own
/// functions alone does without: each kept frame is fresh memory.
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

//! What `AddressSanitizer` offers a worker. A build without it has none of these symbols: they are weak, which the language has no words for yet.

use std::ffi::{CStr, c_char};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

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
    ".popsection",
);

unsafe extern "C" {
    safe static dwindle_asan_report_description: Option<extern "C" fn() -> *const c_char>;
    safe static dwindle_asan_keeps_frames: Option<&'static AtomicI32>;
}

/// The word for the error that is being reported; empty if there is none.
pub(super) fn error() -> &'static [u8] {
    let text = dwindle_asan_report_description.map_or(std::ptr::null(), |description| description());
    // SAFETY: the sanitizer returns a C string that outlives the process, or none.
    if text.is_null() { b"" } else { unsafe { CStr::from_ptr(text) }.to_bytes() }
}

/// Whether functions entered from now on have their frames watched after they returned, if the user wants that at all.
///
/// Each panic then takes a walk over all the frames that were kept, some 70 microseconds: twice what the rest of a small candidate takes. Instrumented
/// functions look at this flag when they are entered, and each leaves its frame as it came to it, so it may change at any time.
pub(super) fn watch_returned_frames(on: bool) {
    static WANTED: OnceLock<i32> = OnceLock::new();
    if let Some(flag) = dwindle_asan_keeps_frames {
        let wanted = *WANTED.get_or_init(|| flag.load(Ordering::Relaxed));
        flag.store(if on { wanted } else { 0 }, Ordering::Relaxed);
    }
}

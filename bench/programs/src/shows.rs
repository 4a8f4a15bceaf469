//! What a module shows in one version of wasmi, as a library with one function. `versions.rs`
//! builds this crate once for each version, because a workspace can hold only one of them.

extern crate wasmi;

mod outcome;
mod engine;

use std::ffi::c_void;
use std::sync::Once;

/// Gives what the module shows to `take`, as JSON.
///
/// # Safety
/// `module` points to `length` bytes. `take` accepts `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shows(
    module: *const u8,
    length: usize,
    context: *mut c_void,
    take: extern "C" fn(*mut c_void, *const u8, usize),
) {
    static SILENT: Once = Once::new();
    SILENT.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    // SAFETY: the caller says so.
    let module = unsafe { std::slice::from_raw_parts(module, length) };
    let json = serde_json::to_vec(&engine::run(module)).unwrap_or_default();
    take(context, json.as_ptr(), json.len());
}

//! The libraries that were loaded beside the executable.

use std::ffi::CStr;

/// Whether a library belongs to the system or the compiler.
pub(crate) fn is_of_the_system(library: &str) -> bool {
    const LIBRARIES: [&str; 6] =
        ["libc.so", "libm.so", "libpthread.so", "ld-linux", "libgcc_s.so", "libstdc++.so"];
    LIBRARIES.iter().any(|known| library.starts_with(known))
}

/// The file that an address was loaded from, without its folder, and the exported function before
/// the address.
pub(crate) fn loaded_from(address: usize) -> Option<(String, Option<String>)> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `dladdr` accepts any address. The returned names are null or C strings, which live as
    // long as the library is loaded.
    let (file, function) = unsafe {
        if libc::dladdr(address as *const _, &raw mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let function = (!info.dli_sname.is_null())
            .then(|| CStr::from_ptr(info.dli_sname).to_string_lossy().into_owned());
        (CStr::from_ptr(info.dli_fname).to_string_lossy(), function)
    };
    Some((file.rsplit('/').next().unwrap_or_default().to_owned(), function))
}

//! The frames of a failure that belong to the user: machinery, standard library, harness and engine left out.

use std::ffi::CStr;
use std::fmt;
use std::path::Path;

use crate::failure::location::portable_path;
use crate::failure::symbols::{self, Symbol};

/// Maximum return addresses of a failure.
pub(crate) const ADDRESSES_MAX: usize = 256;
/// How many user frames are shown.
const SHOWN_MAX: usize = 32;

/// One call in code of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The name without a hash.
    pub(crate) function: String,
    path: String,
    line: u32,
}

impl Frame {
    pub(crate) fn new(function: &str, path: &str, line: u32) -> Frame {
        Frame { function: function.to_owned(), path: path.to_owned(), line }
    }

    /// `path:line`, free of the machine.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }

    /// Whether the compiler said which line it is.
    pub(crate) fn has_line(&self) -> bool {
        self.line != 0
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.function, self.place())
    }
}

/// The user frames at these return addresses, innermost first, as a report shows them. Direct repetitions, as recursion makes them, are shown once.
pub(crate) fn shown_frames(addresses: &[usize], manifest_dir: &Path) -> Vec<String> {
    let mut frames = user_frames(addresses, manifest_dir);
    frames.dedup();
    frames.truncate(SHOWN_MAX);
    frames.iter().map(Frame::to_string).collect()
}

/// The user frames at these return addresses, innermost first.
pub(crate) fn user_frames(addresses: &[usize], manifest_dir: &Path) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut below_the_target = false;
    for address in addresses {
        // A return address stands behind the call.
        for Symbol { function, file, line } in symbols::at(address.wrapping_sub(1)) {
            below_the_target |= file.ends_with(BOTTOM);
            let path = portable_path(&file, manifest_dir);
            if is_call_of_the_allocator(&path, &function) {
                // What was called from there is the allocator, whoever wrote it.
                frames.clear();
            }
            if !below_the_target && !is_machinery(&file, &path, *address) {
                frames.push(Frame::new(&function, &path, line));
            }
        }
        if below_the_target {
            break;
        }
    }
    frames
}

/// Whether a stack can be followed down to where the target was called, or to where its thread began. One that cannot was written over.
pub(crate) fn leads_to_the_bottom(addresses: &[usize]) -> bool {
    let is_cut_off = addresses.len() >= ADDRESSES_MAX;
    let is_called_here = |address: &usize| symbols::at(address.wrapping_sub(1)).iter().any(|symbol| symbol.file.ends_with(BOTTOM));
    let began_a_thread = |address: &usize| loaded_from(address.wrapping_sub(1)).is_some_and(|(library, _)| is_of_the_system(&library));
    is_cut_off || addresses.iter().any(is_called_here) || addresses.len() > 1 && addresses.last().is_some_and(began_a_thread)
}

/// The file that calls the target: what lies below is the fuzzer's.
const BOTTOM: &str = "engine/src/execute.rs";

/// Whether the innermost frames, up to the first of the user, are those of an allocator: of the one that the program was given, or of the system's.
pub(crate) fn is_noticed_by_an_allocator(addresses: &[usize], manifest_dir: &Path) -> bool {
    for address in addresses {
        if is_function_of_an_allocator(*address) {
            return true;
        }
        for Symbol { function, file, .. } in symbols::at(address.wrapping_sub(1)) {
            if is_call_of_the_allocator(&portable_path(&file, manifest_dir), &function) {
                return true;
            }
        }
    }
    false
}

/// Whether it is here that Rust calls the allocator of a program. The same file holds what is called when there is no memory left.
fn is_call_of_the_allocator(path: &str, function: &str) -> bool {
    path == "rust/library/alloc/src/alloc.rs" && !function.contains("alloc_error")
}

/// Whether an address lies in a function with which the system gives out memory, or takes it back.
fn is_function_of_an_allocator(address: usize) -> bool {
    const FUNCTIONS: [&str; 15] = [
        "malloc",
        "calloc",
        "realloc",
        "reallocarray",
        "free",
        "cfree",
        "memalign",
        "aligned_alloc",
        "posix_memalign",
        "valloc",
        "pvalloc",
        "malloc_usable_size",
        "malloc_trim",
        "__libc_malloc",
        "__libc_free",
    ];
    let Some((library, Some(function))) = loaded_from(address.wrapping_sub(1)) else { return false };
    is_of_the_system(&library) && FUNCTIONS.contains(&function.as_str())
}

/// Decided by source file, never by name: a user may well call a function `panic`.
fn is_machinery(file: &str, path: &str, address: usize) -> bool {
    const HARNESS: &str = env!("CARGO_MANIFEST_DIR");
    let ours = ["engine", "corpus"].map(|folder| Path::new(HARNESS).with_file_name(folder));
    file.contains("/compiler-rt/")
        || file.ends_with("/afl-compiler-rt.o.c")
        || loaded_from(address).is_some_and(|(library, _)| is_of_the_system(&library))
        || path.starts_with("rust/")
        || path.starts_with("libfuzzer-sys-")
        || path.starts_with("backtrace-")
        || path.starts_with("dwindle-")
        || file.starts_with(HARNESS)
        || ours.iter().any(|folder| Path::new(file).starts_with(folder))
}

/// Whether a library comes with the system or the compiler.
fn is_of_the_system(library: &str) -> bool {
    const LIBRARIES: [&str; 6] = ["libc.so", "libm.so", "libpthread.so", "ld-linux", "libgcc_s.so", "libstdc++.so"];
    LIBRARIES.iter().any(|known| library.starts_with(known))
}

/// The file that an address was loaded from, without its folder, and the function in front of it that others may call.
fn loaded_from(address: usize) -> Option<(String, Option<String>)> {
    let mut info = libc::Dl_info { dli_fname: std::ptr::null(), dli_fbase: std::ptr::null_mut(), dli_sname: std::ptr::null(), dli_saddr: std::ptr::null_mut() };
    // SAFETY: any address may be asked for; the names, if there are any, are C strings that live as long as the library is loaded.
    let (file, function) = unsafe {
        if libc::dladdr(address as *const _, &raw mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let function = (!info.dli_sname.is_null()).then(|| CStr::from_ptr(info.dli_sname).to_string_lossy().into_owned());
        (CStr::from_ptr(info.dli_fname).to_string_lossy(), function)
    };
    Some((file.rsplit('/').next().unwrap_or_default().to_owned(), function))
}

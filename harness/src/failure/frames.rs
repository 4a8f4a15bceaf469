//! The frames of a failure that belong to the user: machinery, standard library, harness and engine left out.

use std::ffi::CStr;
use std::fmt;
use std::path::Path;

use crate::failure::location::portable_path;
use crate::failure::symbols::{self, Symbol};

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

/// The file that calls the target: what lies below is the fuzzer's.
const BOTTOM: &str = "engine/src/execute.rs";

/// Decided by source file, never by name: a user may well call a function `panic`.
fn is_machinery(file: &str, path: &str, address: usize) -> bool {
    const HARNESS: &str = env!("CARGO_MANIFEST_DIR");
    let ours = ["engine", "corpus"].map(|folder| Path::new(HARNESS).with_file_name(folder));
    file.contains("/compiler-rt/")
        || file.ends_with("/afl-compiler-rt.o.c")
        || is_of_the_system(address)
        || path.starts_with("rust/")
        || path.starts_with("backtrace-")
        || path.starts_with("dwindle-")
        || file.starts_with(HARNESS)
        || ours.iter().any(|folder| Path::new(file).starts_with(folder))
}

/// Whether an address lies in a library that comes with the system or the compiler.
fn is_of_the_system(address: usize) -> bool {
    const LIBRARIES: [&str; 6] = ["libc.so", "libm.so", "libpthread.so", "ld-linux", "libgcc_s.so", "libstdc++.so"];
    let mut info = libc::Dl_info { dli_fname: std::ptr::null(), dli_fbase: std::ptr::null_mut(), dli_sname: std::ptr::null(), dli_saddr: std::ptr::null_mut() };
    // SAFETY: any address may be asked for; the name, if there is one, is a C string that lives as long as the library is loaded.
    let file = unsafe {
        if libc::dladdr(address as *const _, &raw mut info) == 0 || info.dli_fname.is_null() {
            return false;
        }
        CStr::from_ptr(info.dli_fname).to_string_lossy()
    };
    let name = file.rsplit('/').next().unwrap_or_default();
    LIBRARIES.iter().any(|library| name.starts_with(library))
}

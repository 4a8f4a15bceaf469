//! The user frames of a failure. Frames of machinery, the standard library, harness and engine are
//! left out.

use std::fmt;
use std::path::Path;

use crate::failure::libraries::{is_of_the_system, loaded_from};
use crate::failure::location::portable_path;
use crate::failure::symbols::{self, Symbol};

/// Maximum return addresses of a failure.
pub(crate) const ADDRESSES_MAX: usize = 256;
/// Maximum user frames that are shown.
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

    /// `path:line`, the same on every machine.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.path, self.line)
    }

    /// The path, the same on every machine.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn line(&self) -> u32 {
        self.line
    }

    /// Whether the debug information contains the line.
    pub(crate) fn has_line(&self) -> bool {
        self.line != 0
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.function, self.place())
    }
}

/// The user frames at these return addresses, innermost first, as a report shows them. Direct
/// repetitions, which recursion causes, are shown once.
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
        // A return address points behind the call.
        let call = address.wrapping_sub(1);
        if symbols::calls_the_target(call) {
            break;
        }
        for Symbol { function, file, line } in symbols::at(call) {
            below_the_target |= file.ends_with(BOTTOM);
            let path = portable_path(&file, manifest_dir);
            if is_call_of_the_allocator(&path, &function) {
                // All frames that are called from here belong to the allocator, even if the user
                // wrote it.
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

/// Whether a stack can be unwound to the call of the target, or to the start of its thread. A stack
/// that cannot was overwritten.
pub(crate) fn leads_to_the_bottom(addresses: &[usize]) -> bool {
    let is_cut_off = addresses.len() >= ADDRESSES_MAX;
    let is_called_here = |address: &usize| {
        symbols::at(address.wrapping_sub(1)).iter().any(|symbol| symbol.file.ends_with(BOTTOM))
    };
    let began_a_thread = |address: &usize| {
        loaded_from(address.wrapping_sub(1)).is_some_and(|(library, _)| is_of_the_system(&library))
    };
    is_cut_off
        || addresses.iter().any(is_called_here)
        || addresses.len() > 1 && addresses.last().is_some_and(began_a_thread)
}

/// The file that calls the target. Frames below it belong to the fuzzer.
const BOTTOM: &str = "engine/src/execute.rs";

/// Whether one of these frames belongs to an allocator: the one that the program chose, or the
/// system's. Frames below the target are not looked at.
pub(crate) fn is_noticed_by_an_allocator(addresses: &[usize], manifest_dir: &Path) -> bool {
    for address in addresses {
        if is_function_of_an_allocator(*address) {
            return true;
        }
        for Symbol { function, file, .. } in symbols::at(address.wrapping_sub(1)) {
            if is_call_of_the_allocator(&portable_path(&file, manifest_dir), &function) {
                return true;
            }
            if file.ends_with(BOTTOM) {
                return false;
            }
        }
    }
    false
}

/// Whether Rust calls the program's allocator here. The same file also has the function that Rust
/// calls when memory runs out.
fn is_call_of_the_allocator(path: &str, function: &str) -> bool {
    path == "rust/library/alloc/src/alloc.rs" && !function.contains("alloc_error")
}

/// Whether an address lies in a system function that allocates or frees memory.
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
    let Some((library, Some(function))) = loaded_from(address.wrapping_sub(1)) else {
        return false;
    };
    is_of_the_system(&library) && FUNCTIONS.contains(&function.as_str())
}

/// Decides by source file, never by name: a user may call a function `panic`.
fn is_machinery(file: &str, path: &str, address: usize) -> bool {
    is_machinery_file(file, path)
        || loaded_from(address).is_some_and(|(library, _)| is_of_the_system(&library))
}

/// Whether a source file belongs to dwindle, the fuzzer or the standard library. `path` is its
/// portable path.
pub(crate) fn is_machinery_file(file: &str, path: &str) -> bool {
    const HARNESS: &str = env!("CARGO_MANIFEST_DIR");
    let ours = ["engine", "corpus"].map(|folder| Path::new(HARNESS).with_file_name(folder));
    file.contains("/compiler-rt/")
        || file.ends_with("/afl-compiler-rt.o.c")
        || path.starts_with("rust/")
        || path.starts_with("libfuzzer-sys-")
        || path.starts_with("backtrace-")
        || path.starts_with("dwindle-")
        || file.starts_with(HARNESS)
        || ours.iter().any(|folder| Path::new(file).starts_with(folder))
}

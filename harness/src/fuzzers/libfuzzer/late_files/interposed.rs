//! `fopen` and `unlink` in the place of the C library's: the files of the corpus go to the
//! supervisor, all others to the C library.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::fs;
use std::mem::transmute;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::{ADDED, NAME, Name, Ring, is_hash};

type Fopen = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut libc::FILE;
type Unlink = unsafe extern "C" fn(*const c_char) -> c_int;

std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak __interceptor_fopen",
    ".weak __interceptor_unlink",
    ".globl dwindle_sanitizer_fopen",
    ".hidden dwindle_sanitizer_fopen",
    "dwindle_sanitizer_fopen: .quad __interceptor_fopen",
    ".globl dwindle_sanitizer_unlink",
    ".hidden dwindle_sanitizer_unlink",
    "dwindle_sanitizer_unlink: .quad __interceptor_unlink",
    ".popsection",
);

unsafe extern "C" {
    /// A sanitizer must see the calls of these functions too.
    safe static dwindle_sanitizer_fopen: Option<Fopen>;
    safe static dwindle_sanitizer_unlink: Option<Unlink>;

    fn fopencookie(
        cookie: *mut c_void,
        mode: *const c_char,
        functions: Functions,
    ) -> *mut libc::FILE;
}

/// What a stream calls: `cookie_io_functions_t` of the C library.
#[repr(C)]
struct Functions {
    read: Option<unsafe extern "C" fn()>,
    write: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize>,
    seek: Option<unsafe extern "C" fn()>,
    close: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

/// Where the files of the corpus go. Empty in all processes that are no fuzzer.
static FUZZER: OnceLock<Corpus> = OnceLock::new();

struct Corpus {
    ring: Ring,
    /// What the path of a file in the corpus begins with.
    prefix: Vec<u8>,
}

// SAFETY: only libFuzzer's thread adds and removes files.
unsafe impl Sync for Corpus {}

/// From now on, the files of this folder go into the ring.
pub(super) fn begin(ring: Ring, folder: &Path) {
    let mut prefix = folder.as_os_str().as_encoded_bytes().to_vec();
    prefix.push(b'/');
    // A process becomes a fuzzer once.
    let _ = FUZZER.set(Corpus { ring, prefix });
}

/// The ring and the name of a file, if its path is that of an input in the corpus.
///
/// # Safety
/// `path` is null or a C string.
unsafe fn in_corpus(path: *const c_char) -> Option<(Ring, Name)> {
    let corpus = FUZZER.get().filter(|_| !path.is_null())?;
    // SAFETY: the caller promises it.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let name = path.strip_prefix(&corpus.prefix[..]).filter(|name| is_hash(name))?;
    Some((corpus.ring, <[u8; NAME]>::try_from(name).ok()?))
}

/// A file that libFuzzer is writing.
struct Open {
    ring: Ring,
    name: Name,
    content: Vec<u8>,
}

/// Opens a file as the C library does. A new file of the corpus gets a stream into memory.
#[unsafe(no_mangle)]
unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    // SAFETY: the promises of the caller are passed on.
    unsafe {
        if !mode.is_null()
            && *mode == b'w' as c_char
            && let Some((ring, name)) = in_corpus(path)
        {
            let file = Box::into_raw(Box::new(Open { ring, name, content: Vec::new() }));
            let functions =
                Functions { read: None, write: Some(write), seek: None, close: Some(close) };
            let stream = fopencookie(file.cast(), c"w".as_ptr(), functions);
            if stream.is_null() {
                drop(Box::from_raw(file));
            }
            return stream;
        }
        match dwindle_sanitizer_fopen.or_else(next_fopen) {
            Some(open) => open(path, mode),
            None => null_mut(),
        }
    }
}

/// Removes a file as the C library does. A file of the corpus that waits is never written.
#[unsafe(no_mangle)]
unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
    // SAFETY: the promises of the caller are passed on.
    unsafe {
        if let Some((ring, name)) = in_corpus(path)
            && ring.remove(&name)
        {
            return 0;
        }
        match dwindle_sanitizer_unlink {
            Some(unlink) => unlink(path),
            None => libc::unlinkat(libc::AT_FDCWD, path, 0),
        }
    }
}

/// The `fopen` that this one replaces.
fn next_fopen() -> Option<Fopen> {
    static KNOWN: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
    let mut function = KNOWN.load(Ordering::Relaxed);
    // SAFETY: the name is a C string. A function of this name has this type.
    unsafe {
        if function.is_null() {
            function = libc::dlsym(libc::RTLD_NEXT, c"fopen".as_ptr());
            KNOWN.store(function, Ordering::Relaxed);
        }
        transmute::<*mut c_void, Option<Fopen>>(function)
    }
}

unsafe extern "C" fn write(file: *mut c_void, bytes: *const c_char, length: usize) -> isize {
    // SAFETY: the stream passes its file, and this many bytes.
    unsafe {
        let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length);
        (*file.cast::<Open>()).content.extend_from_slice(bytes);
    }
    length as isize
}

unsafe extern "C" fn close(file: *mut c_void) -> c_int {
    // SAFETY: a stream closes its file once.
    let Open { ring, name, content } = *unsafe { Box::from_raw(file.cast::<Open>()) };
    ADDED.store(true, Ordering::Relaxed);
    if ring.add(&name, &content) {
        return 0;
    }
    let mut path = FUZZER.get().map(|corpus| corpus.prefix.clone()).unwrap_or_default();
    path.extend_from_slice(&name);
    // libFuzzer ignores a file that cannot be written.
    let _ = fs::write(OsStr::from_bytes(&path), &content);
    0
}

//! Memory that the target does not give back. `LeakSanitizer` finds it in a build with
//! `AddressSanitizer`.

use std::ffi::c_void;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::Once;
use std::sync::atomic::{AtomicI64, Ordering};

use super::sanitizer;

/// How many more blocks were allocated than freed since this was zero.
static KEPT: AtomicI64 = AtomicI64::new(0);
static INSTALL: Once = Once::new();

/// Runs the closure and looks for a leak. Returns the return addresses of the leaked allocation,
/// innermost first. `None` if the run leaks nothing, and in a build without a sanitizer.
///
/// A leak check takes a thousand times as long as most runs. So the check happens only if two runs
/// in a row allocate more blocks than they free. Both runs must also satisfy `may_leak` when they
/// end. The second run is needed because the first may have filled a cache.
pub(super) fn watched<T>(
    mut run: impl FnMut() -> T,
    may_leak: impl Fn(&T) -> bool,
) -> (T, Option<Vec<usize>>) {
    let (Some(install), Some(look)) = (sanitizer::install_hooks(), sanitizer::leak_check()) else {
        return (run(), None);
    };
    // SAFETY: the hooks are plain functions that neither allocate nor free memory.
    INSTALL.call_once(|| unsafe {
        install(on_malloc, on_free);
    });
    let mut kept = || {
        KEPT.store(0, Ordering::Relaxed);
        let result = run();
        let keeps = KEPT.load(Ordering::Relaxed) > 0 && may_leak(&result);
        (result, keeps)
    };
    let (result, keeps) = kept();
    if !keeps {
        return (result, None);
    }
    let (result, keeps) = kept();
    if !keeps {
        return (result, None);
    }
    let addresses = report_of(|| look() != 0).map(|report| first_stack(&report));
    (result, addresses)
}

extern "C" fn on_malloc(_place: *const c_void, _size: usize) {
    KEPT.fetch_add(1, Ordering::Relaxed);
}

extern "C" fn on_free(_place: *const c_void) {
    KEPT.fetch_sub(1, Ordering::Relaxed);
}

/// The report that the sanitizer writes during the check, if it finds a leak.
fn report_of(finds: impl FnOnce() -> bool) -> Option<String> {
    // SAFETY: the name is a C string. The code checks the descriptor before it becomes a file.
    let mut file = unsafe {
        let descriptor = libc::memfd_create(c"leaks".as_ptr(), libc::MFD_CLOEXEC);
        (descriptor >= 0).then(|| File::from_raw_fd(descriptor))
    };
    let set = sanitizer::set_report_fd().unwrap_or(nowhere);
    if let Some(file) = &file {
        set(file.as_raw_fd() as usize as *mut c_void);
    }
    let found = finds();
    set(libc::STDERR_FILENO as usize as *mut c_void);
    let mut report = Vec::new();
    if let Some(file) = &mut file {
        // The leak counts even if its report cannot be read.
        let _ = file.rewind().and_then(|()| file.read_to_end(&mut report));
    }
    found.then(|| String::from_utf8_lossy(&report).into_owned())
}

extern "C" fn nowhere(_descriptor: *mut c_void) {}

/// The return addresses of the first stack in a report. Its lines look like `    #0 0x55d0c0ffee in
/// malloc (..)`.
fn first_stack(report: &str) -> Vec<usize> {
    let address = |line: &str| {
        let words = line.trim_start().strip_prefix('#')?;
        let hexadecimal = words.split_whitespace().nth(1)?.strip_prefix("0x")?;
        // The report shows the addresses of calls. A return address lies behind its call.
        usize::from_str_radix(hexadecimal, 16).ok().map(|address| address + 1)
    };
    report.lines().map(address).skip_while(Option::is_none).map_while(|address| address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stack_of_a_report_is_the_one_that_counts() {
        let report = "==1==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 8 byte(s) \
                      in 1 object(s) allocated from:\n    #0 0x10 in malloc (/a+0x10)\n    #1 0x20 \
                      in user::leaks src/a.rs:1:2\n\nIndirect leak of 1 byte(s) in 1 object(s) \
                      allocated from:\n    #0 0x30 in malloc\n";
        assert_eq!(first_stack(report), [0x11, 0x21]);
        assert!(first_stack("nothing of the kind").is_empty());
    }
}

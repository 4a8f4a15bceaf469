//! `pthread_create` in the place of the C library's: each thread is prepared before it begins.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
#[cfg(feature = "libfuzzer")]
use std::time::{Duration, Instant};

use super::see;

/// The routine of a new thread, and its argument.
struct Begin {
    routine: Routine,
    argument: *mut c_void,
}

type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(
    *mut libc::pthread_t,
    *const libc::pthread_attr_t,
    Routine,
    *mut c_void,
) -> c_int;

std::arch::global_asm!(
    ".pushsection .data.rel.ro.dwindle, \"aw\"",
    ".balign 8",
    ".weak __interceptor_pthread_create",
    ".globl dwindle_sanitizer_pthread_create",
    ".hidden dwindle_sanitizer_pthread_create",
    "dwindle_sanitizer_pthread_create: .quad __interceptor_pthread_create",
    ".popsection",
);

unsafe extern "C" {
    /// The `pthread_create` of a sanitizer, which must see each thread too.
    safe static dwindle_sanitizer_pthread_create: Option<Create>;
}

/// Whether threads begin as they do without dwindle.
static LEFT_ALONE: AtomicBool = AtomicBool::new(false);

/// How many threads were made and are not prepared yet.
pub(super) static NEW: AtomicIsize = AtomicIsize::new(0);
/// Maximum time to wait for them. A process that was forked meanwhile waits in vain, because it
/// has none of these threads.
#[cfg(feature = "libfuzzer")]
const PATIENCE: Duration = Duration::from_secs(1);

/// Waits until each thread is prepared that was made so far. Returns whether all of them are.
///
/// libFuzzer makes a thread just before the first execution. Without the wait, the edges of its
/// preparation would now and then count as coverage of that execution.
#[cfg(feature = "libfuzzer")]
pub(crate) fn wait_for_new() -> bool {
    let began = Instant::now();
    loop {
        let new = NEW.load(Ordering::Acquire);
        if new <= 0 {
            return true;
        }
        if began.elapsed() > PATIENCE {
            // The next call does not wait for the same threads.
            NEW.fetch_sub(new, Ordering::AcqRel);
            return false;
        }
        std::thread::yield_now();
    }
}

/// Stops preparing threads in this process, because it runs as a passthrough.
#[cfg(feature = "libfuzzer")]
pub(crate) fn leave_alone() {
    LEFT_ALONE.store(true, Ordering::Relaxed);
}

/// The `pthread_create` that this one replaces. Finding it takes far less time than making a
/// thread.
fn next() -> Option<Create> {
    dwindle_sanitizer_pthread_create.or_else(|| {
        // SAFETY: the name is a C string. A function of this name has this type.
        unsafe {
            std::mem::transmute::<*mut c_void, Option<Create>>(libc::dlsym(
                libc::RTLD_NEXT,
                c"pthread_create".as_ptr(),
            ))
        }
    })
}

/// Makes a thread like the C library does. The thread is prepared before it begins.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    let Some(create) = next() else { return libc::EAGAIN };
    if LEFT_ALONE.load(Ordering::Relaxed) {
        // SAFETY: the promises of the caller are passed on.
        return unsafe { create(thread, attributes, routine, argument) };
    }
    let begins = Box::into_raw(Box::new(Begin { routine, argument }));
    NEW.fetch_add(1, Ordering::AcqRel);
    // SAFETY: the promises of the caller are passed on. The new thread owns its `Begin`.
    unsafe {
        let error = create(thread, attributes, begin, begins.cast());
        if error != 0 {
            NEW.fetch_sub(1, Ordering::AcqRel);
            drop(Box::from_raw(begins));
        }
        error
    }
}

/// `pthread_exit` may unwind out of this function.
unsafe extern "C-unwind" fn begin(argument: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` above passes this pointer once.
    let Begin { routine, argument } = *unsafe { Box::from_raw(argument.cast::<Begin>()) };
    see();
    NEW.fetch_sub(1, Ordering::AcqRel);
    // SAFETY: the caller of `pthread_create` promised that the routine may be called with this
    // argument.
    unsafe { routine(argument) }
}

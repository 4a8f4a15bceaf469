//! Each thread of the target, when it begins: the bounds of its stack, and a stack for handlers that has a guard page.
//!
//! What finds them is `pthread_create` itself, which this program defines before the C library does. So threads of C code are seen too. Not seen are threads made by
//! bare system calls.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::system::process::is_readable;

/// The stack that handlers run on: the target's own may be used up.
const HANDLERS_STACK: usize = 256 << 10;
/// Below it, so that a handler that needs more ends there.
const GUARD: usize = 64 << 10;
/// A fault so near to the end of the stack is its overflow: a function with a large frame may step far over it.
const BEYOND: usize = 1 << 20;

/// The stack of a thread.
#[derive(Clone, Copy)]
struct Bounds {
    low: usize,
    high: usize,
    /// Whether it grows, down to a limit that may change.
    grows: bool,
}

impl Bounds {
    /// The lowest address. For a handler too.
    fn low(self) -> usize {
        if !self.grows {
            return self.low;
        }
        rustix::process::getrlimit(rustix::process::Resource::Stack).current.map_or(self.low, |limit| self.high.saturating_sub(limit as usize))
    }
}

/// The stack for handlers, and the one that the thread had for them before.
#[derive(Clone, Copy)]
struct ForHandlers {
    mapping: *mut c_void,
    before: libc::stack_t,
}

impl ForHandlers {
    fn place(self) -> *mut c_void {
        self.mapping.wrapping_byte_add(GUARD)
    }
}

thread_local! {
    // Constants without destructors: a handler reads them without making anything.
    static BOUNDS: Cell<Option<Bounds>> = const { Cell::new(None) };
    static FOR_HANDLERS: Cell<Option<ForHandlers>> = const { Cell::new(None) };
}

/// Looks at the current thread, before it runs code of the target.
pub(super) fn see() {
    if BOUNDS.get().is_none() {
        BOUNDS.set(bounds());
    }
    if FOR_HANDLERS.get().is_none() {
        FOR_HANDLERS.set(stack_for_handlers());
    }
}

/// Whether a fault at this address, in the current thread, says that its stack ran out. For a handler.
pub(super) fn is_overflow(address: usize, stack_pointer: Option<usize>) -> bool {
    let bounds = BOUNDS.get().map(|bounds| (bounds.low(), bounds.high));
    let is_on_it = |(low, high): &(usize, usize)| stack_pointer.is_none_or(|pointer| (low.saturating_sub(BEYOND)..=*high).contains(&pointer));
    match (bounds.filter(is_on_it), stack_pointer) {
        (Some((low, _)), _) => (low.saturating_sub(BEYOND)..low + BEYOND / 4).contains(&address),
        // A stack that the target has made: it ran out where there is no memory at the stack pointer.
        (None, Some(pointer)) => address.abs_diff(pointer) < GUARD && !is_readable(address & !7),
        (None, None) => false,
    }
}

fn bounds() -> Option<Bounds> {
    // SAFETY: attributes of zeros are overwritten before they are read; the pointers are to locals.
    let (low, size) = unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let (mut low, mut size) = (null_mut(), 0);
        libc::pthread_attr_getstack(&raw const attributes, &raw mut low, &raw mut size);
        libc::pthread_attr_destroy(&raw mut attributes);
        (low as usize, size)
    };
    let high = low + size;
    Some(Bounds { low, high, grows: (low..high).contains(&begin_of_main()) })
}

/// An address on the stack of the main thread, which is the one that grows. A forked process may have been made by another thread.
fn begin_of_main() -> usize {
    #[cfg(target_env = "gnu")]
    {
        unsafe extern "C" {
            static __libc_stack_end: *const c_void;
        }
        // SAFETY: the C library sets it before the program begins.
        unsafe { __libc_stack_end }.addr()
    }
    #[cfg(not(target_env = "gnu"))]
    0
}

fn stack_for_handlers() -> Option<ForHandlers> {
    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

    let size = GUARD + HANDLERS_STACK;
    // SAFETY: a new mapping, where the system has room for it; its lowest pages are nobody's.
    let mapping = unsafe {
        let mapping = mmap_anonymous(null_mut(), size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::NORESERVE).ok()?;
        mprotect(mapping, GUARD, MprotectFlags::empty()).ok()?;
        mapping
    };
    // SAFETY: a description of zeros is one; the stack is mapped, and goes with the thread.
    unsafe {
        let mut before: libc::stack_t = std::mem::zeroed();
        let stack = libc::stack_t { ss_sp: mapping.wrapping_byte_add(GUARD), ss_flags: 0, ss_size: HANDLERS_STACK };
        if libc::sigaltstack(&raw const stack, &raw mut before) != 0 {
            let _ = rustix::mm::munmap(mapping, size);
            return None;
        }
        let own = ForHandlers { mapping, before };
        if let Some(key) = key() {
            // However the thread ends; the value is what the destructor is not called without.
            libc::pthread_setspecific(key, mapping);
        }
        Some(own)
    }
}

/// What gives back a thread's stack for handlers when the thread ends.
fn key() -> Option<libc::pthread_key_t> {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the pointer is to a local, the function lives as long as the program.
        (unsafe { libc::pthread_key_create(&raw mut key, Some(end)) } == 0).then_some(key)
    })
}

unsafe extern "C" fn end(_mapping: *mut c_void) {
    let Some(own) = FOR_HANDLERS.take() else { return };
    // SAFETY: a description of zeros is one. The stack is unmapped only if no handler can run on it any longer.
    unsafe {
        let mut now: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(std::ptr::null(), &raw mut now);
        // The target may have put another one in its place.
        if now.ss_sp == own.place() && libc::sigaltstack(&raw const own.before, null_mut()) != 0 {
            return;
        }
        let _ = rustix::mm::munmap(own.mapping, GUARD + HANDLERS_STACK);
    }
}

#[cfg(all(feature = "libfuzzer", target_env = "gnu", not(target_feature = "crt-static"), not(miri)))]
pub(crate) use self::interposed::leave_alone;

/// No thread is looked at here.
#[cfg(all(feature = "libfuzzer", not(all(target_env = "gnu", not(target_feature = "crt-static"), not(miri)))))]
pub(crate) fn leave_alone() {}

#[cfg(all(target_env = "gnu", not(target_feature = "crt-static"), not(miri)))]
mod interposed {
    use std::ffi::{c_int, c_void};
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::see;

    /// What a new thread is to do.
    struct Begin {
        routine: Routine,
        argument: *mut c_void,
    }

    type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
    type Create = unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Routine, *mut c_void) -> c_int;

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
        /// A sanitizer wants to see each thread too.
        safe static dwindle_sanitizer_pthread_create: Option<Create>;
    }

    /// Whether threads begin as they do without dwindle.
    static LEFT_ALONE: AtomicBool = AtomicBool::new(false);

    /// From now on no thread is looked at: dwindle steps aside in this process.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn leave_alone() {
        LEFT_ALONE.store(true, Ordering::Relaxed);
    }

    /// The function that this one stands before. To find it takes far less time than to make a thread.
    fn next() -> Option<Create> {
        dwindle_sanitizer_pthread_create.or_else(|| {
            // SAFETY: the name is a C string; a function of this name has this type.
            unsafe { std::mem::transmute::<*mut c_void, Option<Create>>(libc::dlsym(libc::RTLD_NEXT, c"pthread_create".as_ptr())) }
        })
    }

    /// Makes a thread as the C library does, which is looked at before it begins.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn pthread_create(
        thread: *mut libc::pthread_t,
        attributes: *const libc::pthread_attr_t,
        routine: Routine,
        argument: *mut c_void,
    ) -> c_int {
        let Some(create) = next() else { return libc::EAGAIN };
        if LEFT_ALONE.load(Ordering::Relaxed) {
            // SAFETY: the caller's promises are handed on.
            return unsafe { create(thread, attributes, routine, argument) };
        }
        let begins = Box::into_raw(Box::new(Begin { routine, argument }));
        // SAFETY: the caller's promises are handed on; what the thread begins with is its own.
        unsafe {
            let error = create(thread, attributes, begin, begins.cast());
            if error != 0 {
                drop(Box::from_raw(begins));
            }
            error
        }
    }

    /// `pthread_exit` may unwind out of it.
    unsafe extern "C-unwind" fn begin(argument: *mut c_void) -> *mut c_void {
        // SAFETY: handed over by `pthread_create` above, once.
        let Begin { routine, argument } = *unsafe { Box::from_raw(argument.cast::<Begin>()) };
        see();
        // SAFETY: what the caller of `pthread_create` promised.
        unsafe { routine(argument) }
    }
}

#[cfg(all(test, target_env = "gnu", not(target_feature = "crt-static"), not(miri)))]
mod tests {
    use super::*;

    fn stack_for_handlers_of_this_thread() -> libc::stack_t {
        // SAFETY: a description of zeros is one; the pointer is to a local.
        unsafe {
            let mut now: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(std::ptr::null(), &raw mut now);
            now
        }
    }

    #[test]
    fn each_thread_has_a_stack_for_handlers_with_a_guard_page() {
        let thread = std::thread::spawn(|| {
            let stack = stack_for_handlers_of_this_thread();
            let low = stack.ss_sp as usize;
            assert!(stack.ss_size == HANDLERS_STACK && is_readable(low) && !is_readable(low - 8), "{low:x}");
            low
        });
        let low = thread.join().unwrap();
        assert!(!is_readable(low), "it goes with its thread");
    }

    #[test]
    fn a_fault_near_the_end_of_a_stack_is_its_overflow() {
        let bounds = |()| BOUNDS.get().unwrap();
        std::thread::spawn(move || {
            let (low, here) = (bounds(()).low(), (&raw const bounds).addr());
            assert!((low..bounds(()).high).contains(&here));
            for (address, is) in [(low - 8, true), (low - BEYOND + 8, true), (low - BEYOND - 8, false), (0, false), (here, false)] {
                assert_eq!(is_overflow(address, Some(low)), is, "{address:x} {low:x}");
            }
            // On a stack that the target has made the end is where there is no memory.
            assert!(is_overflow(0x1000, Some(0x1008)) && !is_overflow(here, Some(0x1008)) && !is_overflow(0x1000, Some(here)));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_thread_that_cannot_be_made_is_an_error_as_ever() {
        let made = std::thread::Builder::new().stack_size(1 << 60).spawn(|| {});
        assert!(made.is_err());
    }
}

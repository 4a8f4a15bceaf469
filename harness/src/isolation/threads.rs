//! Prepares each thread of the target when it begins: finds the bounds of its stack, and gives it a
//! stack for handlers. The stack for handlers has a guard page.
//!
//! This program defines `pthread_create` before the C library does. So it also sees the threads of
//! C code. It misses threads that are made by bare system calls.

#[cfg(all(target_env = "gnu", not(target_feature = "crt-static"), not(miri)))]
mod interposed;

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::system::process::is_readable;

/// The size of the stack for handlers. Handlers need it because the target's own stack may be used
/// up.
const HANDLERS_STACK: usize = 256 << 10;
/// The size of the guard below that stack. A handler that needs more stack faults there.
const GUARD: usize = 64 << 10;
/// A fault at most this far below the end of the stack is an overflow: a function with a large
/// frame may step far over the end. Above the end, the limit is a quarter of this.
const BEYOND: usize = 1 << 20;

/// The stack of a thread.
#[derive(Clone, Copy)]
struct Bounds {
    low: usize,
    high: usize,
    /// Whether the stack grows, down to a limit that may change.
    grows: bool,
}

impl Bounds {
    /// The lowest address. Safe in a signal handler.
    fn low(self) -> usize {
        if !self.grows {
            return self.low;
        }
        rustix::process::getrlimit(rustix::process::Resource::Stack)
            .current
            .map_or(self.low, |limit| self.high.saturating_sub(limit as usize))
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
    // These are constants without destructors, so a handler reads them without initialization.
    static BOUNDS: Cell<Option<Bounds>> = const { Cell::new(None) };
    static FOR_HANDLERS: Cell<Option<ForHandlers>> = const { Cell::new(None) };
}

/// Prepares the current thread, before it runs code of the target.
pub(super) fn see() {
    if BOUNDS.get().is_none() {
        BOUNDS.set(bounds());
    }
    if FOR_HANDLERS.get().is_none() {
        FOR_HANDLERS.set(stack_for_handlers());
    }
}

/// Whether a fault at this address is an overflow of the current thread's stack. Safe in a signal
/// handler.
pub(super) fn is_overflow(address: usize, stack_pointer: Option<usize>) -> bool {
    let bounds = BOUNDS.get().map(|bounds| (bounds.low(), bounds.high));
    let is_on_it = |(low, high): &(usize, usize)| {
        stack_pointer.is_none_or(|pointer| (low.saturating_sub(BEYOND)..=*high).contains(&pointer))
    };
    match (bounds.filter(is_on_it), stack_pointer) {
        (Some((low, _)), _) => (low.saturating_sub(BEYOND)..low + BEYOND / 4).contains(&address),
        // The target made this stack. It overflowed if the fault is near the stack pointer and no
        // memory is there.
        (None, Some(pointer)) => address.abs_diff(pointer) < GUARD && !is_readable(address & !7),
        (None, None) => false,
    }
}

fn bounds() -> Option<Bounds> {
    // SAFETY: the C library overwrites the zeroed attributes before they are read. The pointers are
    // to local variables.
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

/// An address on the stack of the main thread, which is the stack that grows. The main thread is
/// not always the first thread of a forked process, because another thread may have forked it.
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
    // SAFETY: the mapping is new, and nothing uses its lowest pages.
    let mapping = unsafe {
        let mapping = mmap_anonymous(
            null_mut(),
            size,
            ProtFlags::READ | ProtFlags::WRITE,
            MapFlags::PRIVATE | MapFlags::NORESERVE,
        )
        .ok()?;
        mprotect(mapping, GUARD, MprotectFlags::empty()).ok()?;
        mapping
    };
    // SAFETY: zeros are a valid description. The stack is mapped, and lives as long as the thread.
    unsafe {
        let mut before: libc::stack_t = std::mem::zeroed();
        let stack = libc::stack_t {
            ss_sp: mapping.wrapping_byte_add(GUARD),
            ss_flags: 0,
            ss_size: HANDLERS_STACK,
        };
        if libc::sigaltstack(&raw const stack, &raw mut before) != 0 {
            let _ = rustix::mm::munmap(mapping, size);
            return None;
        }
        let own = ForHandlers { mapping, before };
        if let Some(key) = key() {
            // The destructor runs however the thread ends. The C library calls it only for a value
            // other than null.
            libc::pthread_setspecific(key, mapping);
        }
        Some(own)
    }
}

/// The key whose destructor frees a thread's stack for handlers when the thread ends.
fn key() -> Option<libc::pthread_key_t> {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the pointer is to a local variable, and the function lives as long as the
        // program.
        (unsafe { libc::pthread_key_create(&raw mut key, Some(end)) } == 0).then_some(key)
    })
}

unsafe extern "C" fn end(_mapping: *mut c_void) {
    let Some(own) = FOR_HANDLERS.take() else { return };
    // SAFETY: zeros are a valid description. The stack is unmapped only if no handler can run on it
    // any longer.
    unsafe {
        let mut now: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(std::ptr::null(), &raw mut now);
        // The target may have set another stack for handlers.
        if now.ss_sp == own.place() && libc::sigaltstack(&raw const own.before, null_mut()) != 0 {
            return;
        }
        let _ = rustix::mm::munmap(own.mapping, GUARD + HANDLERS_STACK);
    }
}

#[cfg(all(
    feature = "libfuzzer",
    target_env = "gnu",
    not(target_feature = "crt-static"),
    not(miri)
))]
pub(crate) use self::interposed::{leave_alone, wait_for_new};

/// Does nothing, because this build does not replace `pthread_create`.
#[cfg(all(
    feature = "libfuzzer",
    not(all(target_env = "gnu", not(target_feature = "crt-static"), not(miri)))
))]
pub(crate) fn leave_alone() {}

/// Does nothing, because this build does not prepare threads as they begin.
#[cfg(all(
    feature = "libfuzzer",
    not(all(target_env = "gnu", not(target_feature = "crt-static"), not(miri)))
))]
pub(crate) fn wait_for_new() -> bool {
    true
}

#[cfg(all(test, target_env = "gnu", not(target_feature = "crt-static"), not(miri)))]
mod tests {
    use super::*;

    fn stack_for_handlers_of_this_thread() -> libc::stack_t {
        // SAFETY: zeros are a valid description, and the pointer is to a local variable.
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
            assert!(
                stack.ss_size == HANDLERS_STACK && is_readable(low) && !is_readable(low - 8),
                "{low:x}"
            );
            low
        });
        let low = thread.join().unwrap();
        assert!(!is_readable(low), "it goes with its thread");
    }

    #[cfg(feature = "libfuzzer")]
    #[test]
    fn new_threads_are_waited_for_but_not_those_of_another_process() {
        use std::sync::atomic::{AtomicBool, Ordering};

        static IS_PREPARED: AtomicBool = AtomicBool::new(false);
        interposed::NEW.fetch_add(1, Ordering::AcqRel);
        let thread = std::thread::spawn(|| {
            IS_PREPARED.store(true, Ordering::Release);
            interposed::NEW.fetch_sub(1, Ordering::AcqRel);
        });
        assert!(wait_for_new() && IS_PREPARED.load(Ordering::Acquire));
        thread.join().unwrap();
        // What a fork leaves behind.
        interposed::NEW.fetch_add(1, Ordering::AcqRel);
        assert!(!wait_for_new());
        assert!(wait_for_new());
    }

    #[test]
    fn a_fault_near_the_end_of_a_stack_is_its_overflow() {
        let bounds = |()| BOUNDS.get().unwrap();
        std::thread::spawn(move || {
            let (low, here) = (bounds(()).low(), (&raw const bounds).addr());
            assert!((low..bounds(()).high).contains(&here));
            for (address, is) in [
                (low - 8, true),
                (low - BEYOND + 8, true),
                (low - BEYOND - 8, false),
                (0, false),
                (here, false),
            ] {
                assert_eq!(is_overflow(address, Some(low)), is, "{address:x} {low:x}");
            }
            // A stack that the target made ends where no memory is mapped.
            assert!(
                is_overflow(0x1000, Some(0x1008))
                    && !is_overflow(here, Some(0x1008))
                    && !is_overflow(0x1000, Some(here))
            );
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_thread_that_cannot_be_made_is_still_an_error() {
        let made = std::thread::Builder::new().stack_size(1 << 60).spawn(|| {});
        assert!(made.is_err());
    }
}

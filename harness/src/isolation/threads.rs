//! Prepares each thread of the target when it begins: finds the bounds of its stack, and gives it a
//! stack for handlers. The stack for handlers has a guard page.
//!
//! This program defines `pthread_create` before the C library does. So it also sees the threads of
//! C code. It misses threads that are made by bare system calls.

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

#[cfg(all(target_env = "gnu", not(target_feature = "crt-static"), not(miri)))]
mod interposed {
    use std::ffi::{c_int, c_void};
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
    static NEW: AtomicUsize = AtomicUsize::new(0);
    /// Maximum time to wait for them. A forked process waits in vain for a thread of its parent.
    #[cfg(feature = "libfuzzer")]
    const PATIENCE: Duration = Duration::from_secs(1);

    /// Waits until each thread is prepared that was made so far. Returns whether all of them are.
    ///
    /// libFuzzer makes a thread just before the first execution. Without the wait, the edges of its
    /// preparation would now and then count as coverage of that execution.
    #[cfg(feature = "libfuzzer")]
    pub(crate) fn wait_for_new() -> bool {
        let began = Instant::now();
        while NEW.load(Ordering::Acquire) > 0 {
            if began.elapsed() > PATIENCE {
                return false;
            }
            std::thread::yield_now();
        }
        true
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
    fn all_threads_are_prepared_at_some_time() {
        let threads: Vec<_> = (0..20).map(|_| std::thread::spawn(|| {})).collect();
        assert!(wait_for_new());
        for thread in threads {
            thread.join().unwrap();
        }
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

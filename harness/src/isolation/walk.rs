//! Collects the return addresses of an interrupted thread, in a signal handler. The walk takes no
//! lock, allocates nothing and reads only mapped memory.
//!
//! On some systems the C library's unwinder takes a lock of the loader. It also follows a damaged
//! stack into memory that is not mapped. This walk starts at the registers that the kernel saved.
//! `prepare` looks up the tables of the modules beforehand. `gimli` reads the tables, and promises
//! to be safe in signal handlers.

#[cfg(target_arch = "x86_64")]
mod frames;
pub(super) mod modules;

use std::ffi::c_void;

#[cfg(target_arch = "x86_64")]
use self::frames::Registers;
use crate::failure::frames::ADDRESSES_MAX;

/// Looks up the modules and their unwind tables, which a walk needs.
pub(super) fn prepare() {
    modules::prepare();
}

/// Return addresses of one thread, innermost first.
pub(super) struct Walk {
    addresses: [usize; ADDRESSES_MAX],
    count: usize,
}

impl Walk {
    pub(super) fn addresses(&self) -> &[usize] {
        &self.addresses[..self.count]
    }

    /// The return addresses of the thread that a signal interrupted. The first is the address of
    /// the interrupted instruction plus one, as if that instruction were a call.
    pub(super) fn of_interrupted(context: *const c_void) -> Walk {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the kernel passes a valid context to the handler.
        return Walk::from(unsafe { Registers::of_context(context.cast()) });
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = context;
            Walk::here()
        }
    }

    /// The return addresses of the caller.
    #[inline]
    pub(super) fn here() -> Walk {
        #[cfg(target_arch = "x86_64")]
        return Walk::from(Registers::here());
        #[cfg(not(target_arch = "x86_64"))]
        Walk::by_the_library()
    }

    #[cfg(target_arch = "x86_64")]
    fn from(registers: Registers) -> Walk {
        let mut walk = Walk { addresses: [0; ADDRESSES_MAX], count: 0 };
        walk.count = frames::walk(registers, &mut walk.addresses);
        walk
    }

    /// On other processors the `backtrace` library walks the stack, and may take the lock of the
    /// loader.
    #[cfg(not(target_arch = "x86_64"))]
    fn by_the_library() -> Walk {
        let mut walk = Walk { addresses: [0; ADDRESSES_MAX], count: 0 };
        // SAFETY: no other thread of this process walks a stack now.
        unsafe {
            backtrace::trace_unsynchronized(|frame| {
                walk.addresses[walk.count] = frame.ip() as usize;
                walk.count += 1;
                walk.count < ADDRESSES_MAX
            });
        }
        walk
    }
}

/// The stack pointer of the thread that a signal interrupted.
#[cfg_attr(
    target_arch = "x86_64",
    expect(clippy::unnecessary_wraps, reason = "on other processors it is not known")
)]
pub(super) fn stack_pointer(context: *const c_void) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the kernel passes a valid context to the handler.
    return Some(unsafe { Registers::of_context(context.cast()) }.stack_pointer());
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = context;
        None
    }
}

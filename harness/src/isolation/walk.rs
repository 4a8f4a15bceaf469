//! The return addresses of an interrupted thread, for a handler: no lock, no allocation, and no memory that is not there.
//!
//! The unwinder of the C library takes a lock of the loader on some systems, and follows a damaged stack into memory that is not mapped. This one starts at the
//! registers that the kernel saved. The tables of the modules were looked up beforehand; `gimli`, which reads them, promises to be safe in handlers.

#[cfg(target_arch = "x86_64")]
mod frames;
pub(super) mod modules;

use std::ffi::c_void;

#[cfg(target_arch = "x86_64")]
use self::frames::Registers;
use crate::failure::frames::ADDRESSES_MAX;

/// Looks up what a walk will need.
pub(super) fn prepare() {
    modules::prepare();
}

/// Return addresses, innermost first.
pub(super) struct Walk {
    addresses: [usize; ADDRESSES_MAX],
    count: usize,
}

impl Walk {
    pub(super) fn addresses(&self) -> &[usize] {
        &self.addresses[..self.count]
    }

    /// The addresses of the thread that a signal interrupted. The first is one behind the instruction that was interrupted, as if that were a call.
    pub(super) fn of_interrupted(context: *const c_void) -> Walk {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the kernel hands a valid context to the handler.
        return Walk::from(unsafe { Registers::of_context(context.cast()) });
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = context;
            Walk::here()
        }
    }

    /// The addresses of the caller.
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

    /// On other processors the library walks, which may take the lock of the loader.
    #[cfg(not(target_arch = "x86_64"))]
    fn by_the_library() -> Walk {
        let mut walk = Walk { addresses: [0; ADDRESSES_MAX], count: 0 };
        // SAFETY: no other thread walks a stack in this process now.
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
#[cfg_attr(target_arch = "x86_64", expect(clippy::unnecessary_wraps, reason = "on other processors it is not known"))]
pub(super) fn stack_pointer(context: *const c_void) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the kernel hands a valid context to the handler.
    return Some(unsafe { Registers::of_context(context.cast()) }.stack_pointer());
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = context;
        None
    }
}

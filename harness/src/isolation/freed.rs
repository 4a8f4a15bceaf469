//! Keeps freed memory out of use. A failure that uses memory wrongly depends on what happens to
//! freed memory.
//!
//! A double free or a use after free does harm when the allocator gives the block to another owner.
//! In a process that never reuses blocks, the failure disappears or looks different. Freed blocks
//! either keep their bytes or are filled, because a failure may depend on either.
//!
//! On x86-64 this module overwrites `free` and `realloc` of the C library, in the memory of this
//! process alone. It relies on three facts:
//!
//! - Blocks that never come back do no harm to the allocator.
//! - `malloc_usable_size` knows the size of a block.
//! - No code jumps into the first 14 bytes of either function.
//!
//! On other processors, and where the system forbids writing to code, glibc fills the blocks that
//! it takes back. The tests are in `session/damage.rs`.

use std::ffi::c_void;

use crate::execution::Freed;

/// The byte that fills freed blocks. These bytes never form a valid pointer.
const FILLING: libc::c_int = 0x9B;

/// What this process does with freed memory.
#[derive(Debug, Default)]
pub(super) struct Allocator {
    now: Freed,
    #[cfg(target_arch = "x86_64")]
    replaced: Vec<replacing::Replaced>,
}

impl Allocator {
    /// Sets what happens to memory that is freed from now on. Only the allocator of the C library
    /// is affected.
    pub(super) fn treat(&mut self, freed: Freed) {
        if freed == std::mem::replace(&mut self.now, freed) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        {
            self.replaced.clear();
            self.replaced = replacing::replaced(freed);
            if !self.replaced.is_empty() {
                return;
            }
        }
        say(freed == Freed::Filled);
    }
}

#[cfg(target_env = "gnu")]
fn say(fills: bool) {
    // SAFETY: the call changes only what the allocator writes to unused memory.
    unsafe { libc::mallopt(libc::M_PERTURB, if fills { FILLING } else { 0 }) };
}

#[cfg(not(target_env = "gnu"))]
fn say(_fills: bool) {}

#[cfg(target_arch = "x86_64")]
mod replacing {
    use std::ffi::CStr;
    use std::ptr::null_mut;

    use super::{FILLING, Freed, c_void};

    /// The size in bytes of `jmp [rip]` and of the address behind it.
    const JUMP: usize = 14;

    /// A function that jumps to another function until this value is dropped.
    #[derive(Debug)]
    pub(super) struct Replaced {
        function: *mut u8,
        original: [u8; JUMP],
    }

    impl Replaced {
        /// `None` if the function does not exist, or if it cannot be overwritten.
        fn new(name: &CStr, by: usize) -> Option<Replaced> {
            // SAFETY: the name ends with a zero.
            let function: *mut u8 =
                unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.cast();
            if function.is_null() {
                return None;
            }
            // SAFETY: functions of the C library are longer than this, and are readable.
            let original = unsafe { function.cast::<[u8; JUMP]>().read_unaligned() };
            let mut jump = [0xFF, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            jump[6..].copy_from_slice(&by.to_ne_bytes());
            // SAFETY: only this thread can run the function, and it does not run it now. The
            // replacement does the same work.
            unsafe { write(function, jump) }.then_some(Replaced { function, original })
        }
    }

    impl Drop for Replaced {
        fn drop(&mut self) {
            // SAFETY: these are the original bytes of the function.
            unsafe { write(self.function, self.original) };
        }
    }

    /// # Safety
    /// The bytes are code for this place, and no thread runs code there.
    unsafe fn write(function: *mut u8, code: [u8; JUMP]) -> bool {
        // SAFETY: the call only returns a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let start = function.map_addr(|address| address / page * page);
        let length = function.addr() + JUMP - start.addr();
        // SAFETY: the pages contain the function. The caller promises the rest.
        unsafe {
            if libc::mprotect(
                start.cast(),
                length,
                libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC,
            ) != 0
            {
                return false;
            }
            function.cast::<[u8; JUMP]>().write_unaligned(code);
            libc::mprotect(start.cast(), length, libc::PROT_READ | libc::PROT_EXEC) == 0
        }
    }

    /// Replaces `free` and `realloc`. The result is empty if both stay as they are.
    pub(super) fn replaced(freed: Freed) -> Vec<Replaced> {
        let [free, reallocate]: [usize; 2] = match freed {
            Freed::UsedAgain => return Vec::new(),
            Freed::Kept => [keep as *const () as usize, reallocate_keeping as *const () as usize],
            Freed::Filled => [fill as *const () as usize, reallocate_filling as *const () as usize],
        };
        let Some(reallocate) = Replaced::new(c"realloc", reallocate) else { return Vec::new() };
        let Some(free) = Replaced::new(c"free", free) else { return Vec::new() };
        vec![free, reallocate]
    }

    unsafe extern "C" {
        fn malloc_usable_size(block: *mut c_void) -> usize;
    }

    extern "C" fn keep(_block: *mut c_void) {}

    unsafe extern "C" fn fill(block: *mut c_void) {
        if !block.is_null() {
            // SAFETY: the caller frees the block, so nothing else uses its bytes.
            unsafe { libc::memset(block, FILLING, malloc_usable_size(block)) };
        }
    }

    unsafe extern "C" fn reallocate_keeping(block: *mut c_void, size: usize) -> *mut c_void {
        // SAFETY: the caller promises what `realloc` requires.
        unsafe { reallocate(block, size, |_| {}) }
    }

    unsafe extern "C" fn reallocate_filling(block: *mut c_void, size: usize) -> *mut c_void {
        // SAFETY: the caller promises what `realloc` requires.
        unsafe { reallocate(block, size, |block| fill(block)) }
    }

    unsafe fn reallocate(
        block: *mut c_void,
        size: usize,
        free: impl FnOnce(*mut c_void),
    ) -> *mut c_void {
        // SAFETY: the caller promises that `block` is an allocated block, or null.
        unsafe {
            if block.is_null() {
                return libc::malloc(size);
            }
            let new = if size == 0 { null_mut() } else { libc::malloc(size) };
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(
                    block.cast::<u8>(),
                    new.cast::<u8>(),
                    size.min(malloc_usable_size(block)),
                );
            }
            if size == 0 || !new.is_null() {
                free(block);
            }
            new
        }
    }
}

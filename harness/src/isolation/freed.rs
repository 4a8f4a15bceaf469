//! Memory that is freed, and not used again: what a failure depends on that uses memory wrongly.
//!
//! A block that is freed once too often, or used after it was freed, does harm once the allocator gives it to somebody else. In a process in which nothing is used
//! again the failure does not come, or comes in another way. Blocks keep what they hold, or are filled: a failure depends on the one or on the other.
//!
//! On x86-64 `free` and `realloc` of the C library are written over in the memory of this process alone. Relies on the allocator: blocks that never come back do it no
//! harm, `malloc_usable_size` knows the size of a block, and nothing jumps into the first 14 bytes of both functions. Elsewhere, and where the system lets no code be
//! written, glibc fills what it takes back for good. The tests are in `session/damage.rs`.

use std::ffi::c_void;

use crate::execution::Freed;

/// No pointer is made of these bytes.
const FILLING: libc::c_int = 0x9B;

/// What becomes of freed memory in this process.
#[derive(Debug, Default)]
pub(super) struct Allocator {
    now: Freed,
    #[cfg(target_arch = "x86_64")]
    replaced: Vec<replacing::Replaced>,
}

impl Allocator {
    /// Has memory that is freed from now on treated in this way. Other allocators do not hear of it.
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
    // SAFETY: changes what the allocator writes to memory that is no longer in use.
    unsafe { libc::mallopt(libc::M_PERTURB, if fills { FILLING } else { 0 }) };
}

#[cfg(not(target_env = "gnu"))]
fn say(_fills: bool) {}

#[cfg(target_arch = "x86_64")]
mod replacing {
    use std::ffi::CStr;
    use std::ptr::null_mut;

    use super::{FILLING, Freed, c_void};

    /// `jmp [rip]`, and the address behind it.
    const JUMP: usize = 14;

    /// A function that leads to another one, until this is dropped.
    #[derive(Debug)]
    pub(super) struct Replaced {
        function: *mut u8,
        original: [u8; JUMP],
    }

    impl Replaced {
        /// None if there is no such function, or it cannot be written over.
        fn new(name: &CStr, by: usize) -> Option<Replaced> {
            // SAFETY: a name that ends with a zero.
            let function: *mut u8 = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.cast();
            if function.is_null() {
                return None;
            }
            // SAFETY: functions of the C library are longer than this, and can be read.
            let original = unsafe { function.cast::<[u8; JUMP]>().read_unaligned() };
            let mut jump = [0xFF, 0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            jump[6..].copy_from_slice(&by.to_ne_bytes());
            // SAFETY: this thread is the only one that may be in the function, and is not; what it leads to does the same work.
            unsafe { write(function, jump) }.then_some(Replaced { function, original })
        }
    }

    impl Drop for Replaced {
        fn drop(&mut self) {
            // SAFETY: what stood there.
            unsafe { write(self.function, self.original) };
        }
    }

    /// # Safety
    /// The bytes are code for this place, and nothing runs there.
    unsafe fn write(function: *mut u8, code: [u8; JUMP]) -> bool {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let start = function.map_addr(|address| address / page * page);
        let length = function.addr() + JUMP - start.addr();
        // SAFETY: the pages hold the function; the rest is promised by the caller.
        unsafe {
            if libc::mprotect(start.cast(), length, libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) != 0 {
                return false;
            }
            function.cast::<[u8; JUMP]>().write_unaligned(code);
            libc::mprotect(start.cast(), length, libc::PROT_READ | libc::PROT_EXEC) == 0
        }
    }

    /// `free` and `realloc`, replaced; nothing if they stay as they are.
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
            // SAFETY: the caller frees the block, all of which is nobody's then.
            unsafe { libc::memset(block, FILLING, malloc_usable_size(block)) };
        }
    }

    unsafe extern "C" fn reallocate_keeping(block: *mut c_void, size: usize) -> *mut c_void {
        // SAFETY: as the caller promises to `realloc`.
        unsafe { reallocate(block, size, |_| {}) }
    }

    unsafe extern "C" fn reallocate_filling(block: *mut c_void, size: usize) -> *mut c_void {
        // SAFETY: as above.
        unsafe { reallocate(block, size, |block| fill(block)) }
    }

    unsafe fn reallocate(block: *mut c_void, size: usize, free: impl FnOnce(*mut c_void)) -> *mut c_void {
        // SAFETY: the caller promises that the block is one, or null.
        unsafe {
            if block.is_null() {
                return libc::malloc(size);
            }
            let new = if size == 0 { null_mut() } else { libc::malloc(size) };
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast::<u8>(), size.min(malloc_usable_size(block)));
            }
            if size == 0 || !new.is_null() {
                free(block);
            }
            new
        }
    }
}

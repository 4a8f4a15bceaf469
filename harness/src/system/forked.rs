//! Distinguishes children that the target forks from the processes that run the target.
//!
//! Such a child has a copy of all state. After its return from the target, it would answer the next
//! request, count executions, and fuzz. So each process that runs the target sets a mark. The mark
//! is in memory that the system clears in children. A process without the mark ends when it returns
//! from the target.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use super::process;
use crate::exit::PANICKED;

/// Enough for one byte. Memory is mapped in whole pages.
const LENGTH: usize = 1;

/// The mark before [`mark`] has run, and on systems that do not clear memory in children.
static UNCLEARED: AtomicU8 = AtomicU8::new(1);
static MARK: AtomicPtr<AtomicU8> = AtomicPtr::new((&raw const UNCLEARED).cast_mut());

/// Marks this process as dwindle's own. Processes that dwindle forks are marked when they begin.
pub(crate) fn mark() {
    static MAP: Once = Once::new();
    MAP.call_once(map);
    place().store(1, Ordering::Relaxed);
}

/// Whether the target forked this process. Safe in a signal handler. It costs two loads in every
/// execution.
#[inline]
pub(crate) fn is_forked_by_target() -> bool {
    place().load(Ordering::Relaxed) == 0
}

/// Ends a child that the target forked, after its return from the target. Its work does not count
/// as a run, but the target may read its exit code.
#[cold]
pub(crate) fn end(has_panicked: bool) -> ! {
    process::leave(if has_panicked { PANICKED } else { 0 })
}

#[inline]
fn place() -> &'static AtomicU8 {
    // SAFETY: a static, or a page that stays mapped.
    unsafe { &*MARK.load(Ordering::Relaxed) }
}

fn map() {
    // SAFETY: maps a new page. If the system cannot clear it in children, a fork handler clears the
    // other mark.
    unsafe {
        let page = libc::mmap(
            null_mut::<c_void>(),
            LENGTH,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if page != libc::MAP_FAILED && libc::madvise(page, LENGTH, libc::MADV_WIPEONFORK) == 0 {
            MARK.store(page.cast(), Ordering::Relaxed);
        } else {
            libc::pthread_atfork(None, None, Some(clear));
        }
    }
}

unsafe extern "C" fn clear() {
    UNCLEARED.store(0, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exit code of a child that this process forks.
    fn forked(life: impl FnOnce()) -> i32 {
        let mut status = 0;
        // SAFETY: the child makes only system calls and loads, and leaves.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                life();
                libc::_exit(7);
            }
            libc::waitpid(child, &raw mut status, 0);
        }
        libc::WEXITSTATUS(status)
    }

    #[test]
    fn a_child_has_no_mark_until_it_sets_one() {
        mark();
        let end_of_a_stranger = || {
            if is_forked_by_target() {
                end(true);
            }
        };
        assert!(!is_forked_by_target());
        assert_eq!(forked(end_of_a_stranger), PANICKED);
        let marked = || {
            mark();
            end_of_a_stranger();
        };
        assert_eq!(forked(marked), 7);
        assert!(!is_forked_by_target());
    }
}

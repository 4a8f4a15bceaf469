//! libFuzzer's tables lie in huge pages.
//!
//! When libFuzzer starts, it fills tables of 25 MB. With pages of 4 KiB, that is half of the
//! processor time of a start: each page is one fault. The kernel gives a process huge pages only
//! where it asks for them, and libFuzzer does not. So dwindle prepares the memory that libFuzzer
//! gets next. The switch is `huge-pages`.
//!
//! Some virtual machines give free memory back to their host. There a huge page may take longer
//! than all its small pages, because the host has to find the memory again. So after one slow page,
//! the others are small. The kernel then makes them at once, without a fault for each.
//!
//! It relies on glibc: once a large block was freed, blocks up to its size come from the heap, and
//! the heap keeps free memory of up to twice that size. With another allocator, or if the kernel
//! has no huge pages, nothing changes.

use std::ffi::c_void;
use std::hint::black_box;
use std::time::Duration;

use rustix::mm::{Advice, madvise};

use crate::isolation::sanitizer;
use crate::switches::Switch;
use crate::system::usage;

/// The size of a huge page.
const PAGE: usize = 2 << 20;
/// libFuzzer's tables take this many: its corpus, its mutations and its dictionaries.
const PAGES: usize = 12;
/// A huge page is slow if it takes more processor time than this. It takes a quarter where the
/// memory is at hand, and several times as much where the host has to find it.
const SLOW: Duration = Duration::from_millis(1);

/// Prepares memory for libFuzzer, before libFuzzer makes its tables.
pub(super) fn prepare() {
    if sanitizer::is_there() || !Switch::HugePages.is_on() {
        return;
    }
    let size = (PAGES + 1) * PAGE;
    // SAFETY: a block is freed once and not used after that. The pages lie in the block, and hold
    // nothing yet.
    unsafe {
        libc::free(black_box(libc::malloc(size)));
        let block = black_box(libc::malloc(size));
        if block.is_null() {
            return;
        }
        fill(block.byte_add(block.align_offset(PAGE)));
        libc::free(block);
    }
}

/// Gets memory for the pages from here on. What the kernel refuses, libFuzzer gets as it needs it.
///
/// # Safety
/// A block of the heap has these pages.
unsafe fn fill(first: *mut c_void) {
    for page in 0..PAGES {
        let began = usage::thread_time();
        // SAFETY: the caller promises that the memory is there. The advice does not change it.
        unsafe {
            let start = first.byte_add(page * PAGE);
            let _ = madvise(start, PAGE, Advice::LinuxHugepage);
            let _ = madvise(start, PAGE, Advice::LinuxPopulateWrite);
            if usage::thread_time().saturating_sub(began) > SLOW {
                let rest = (PAGES - page - 1) * PAGE;
                let _ = madvise(start.byte_add(PAGE), rest, Advice::LinuxPopulateWrite);
                return;
            }
        }
    }
}

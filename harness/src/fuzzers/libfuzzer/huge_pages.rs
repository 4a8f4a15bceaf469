//! libFuzzer's tables lie in huge pages.
//!
//! When libFuzzer starts, it fills tables of 25 MB. With pages of 4 KiB, that is half of the
//! processor time of a start: each page is one fault. And each snapshot copies the entries of all
//! these pages. With huge pages there are a dozen. The kernel gives a process huge pages only where
//! it asks for them, and libFuzzer does not. So dwindle prepares the memory that libFuzzer gets
//! next. The switch is `huge-pages`.
//!
//! It relies on glibc: once a large block was freed, blocks up to its size come from the heap, and
//! the heap keeps free memory of up to twice that size. With another allocator, or if the kernel
//! has no huge pages, nothing changes.

use std::hint::black_box;

use rustix::mm::{Advice, madvise};

use crate::isolation::sanitizer;
use crate::switches::Switch;

/// What libFuzzer's tables take: its corpus, its mutations and its dictionaries.
const SIZE: usize = 26 << 20;
/// The size of a huge page.
const PAGE: usize = 2 << 20;

/// Prepares memory for libFuzzer, before libFuzzer makes its tables.
pub(super) fn prepare() {
    if sanitizer::is_there() || !Switch::HugePages.is_on() {
        return;
    }
    // SAFETY: a block is freed once and not used after that. The advice is for whole pages in the
    // block, and does not change what they hold.
    unsafe {
        libc::free(black_box(libc::malloc(SIZE)));
        let block = black_box(libc::malloc(SIZE));
        if block.is_null() {
            return;
        }
        let before = block.align_offset(PAGE);
        // Without the advice the tables are as they were.
        let _ = madvise(block.byte_add(before), SIZE - PAGE, Advice::LinuxHugepage);
        libc::free(block);
    }
}

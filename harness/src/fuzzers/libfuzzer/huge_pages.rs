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
//! Without a sanitizer this relies on glibc: once a large block was freed, blocks up to its size
//! come from the heap, and the heap keeps free memory of up to twice that size. With another
//! allocator, or if the kernel has no huge pages, nothing changes. A sanitizer has its own
//! allocator, and tells dwindle each block before libFuzzer uses it.
//!
//! Relies on LLVM: the coverage pass leaves out functions whose names begin with `__sanitizer_`.

use std::ffi::c_void;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// Whether libFuzzer makes its tables. A sanitizer calls [`on_malloc`] from then on.
static ARE_MADE_NOW: AtomicBool = AtomicBool::new(false);

/// Prepares memory for libFuzzer, before libFuzzer makes its tables.
pub(super) fn prepare() {
    if !Switch::HugePages.is_on() {
        return;
    }
    if !sanitizer::is_there() {
        prepare_heap();
    } else if let Some(install) = sanitizer::install_hooks() {
        ARE_MADE_NOW.store(true, Ordering::Relaxed);
        // SAFETY: the hooks neither allocate nor free memory.
        unsafe { install(on_malloc, on_free) };
    }
}

/// Called once libFuzzer has its tables.
pub(super) fn tables_are_made() {
    ARE_MADE_NOW.store(false, Ordering::Relaxed);
}

fn prepare_heap() {
    let size = (PAGES + 1) * PAGE;
    // SAFETY: a block is freed once and not used after that. The pages lie in the block, and hold
    // nothing yet.
    unsafe {
        libc::free(black_box(libc::malloc(size)));
        let block = black_box(libc::malloc(size));
        if block.is_null() {
            return;
        }
        fill(block.byte_add(block.align_offset(PAGE)), PAGES);
        libc::free(block);
    }
}

/// Called for each block that is allocated with a sanitizer. A block of the target costs a load.
#[unsafe(export_name = "__sanitizer_dwindle_on_malloc")]
extern "C" fn on_malloc(block: *const c_void, size: usize) {
    // A larger block is the buffer for an input, and libFuzzer does not fill it.
    if ARE_MADE_NOW.load(Ordering::Relaxed) && (2 * PAGE..=PAGES * PAGE).contains(&size) {
        let block = block.cast_mut();
        let front = block.align_offset(PAGE);
        // SAFETY: these pages lie in the block, and hold nothing yet.
        unsafe { fill(block.byte_add(front), (size - front) / PAGE) };
    }
}

#[unsafe(export_name = "__sanitizer_dwindle_on_free")]
extern "C" fn on_free(_block: *const c_void) {}

/// Gets memory for this number of pages from here on. What the kernel refuses, libFuzzer gets as it
/// needs it.
///
/// # Safety
/// A block of the heap has these pages, and their content is not needed.
unsafe fn fill(first: *mut c_void, pages: usize) {
    for page in 0..pages {
        let began = usage::thread_time();
        // SAFETY: the caller promises that the memory is there. The advice does not change it.
        unsafe {
            let start = first.byte_add(page * PAGE);
            let _ = madvise(start, PAGE, Advice::LinuxHugepage);
            let _ = madvise(start, PAGE, Advice::LinuxPopulateWrite);
            if usage::thread_time().saturating_sub(began) > SLOW {
                let rest = (pages - page - 1) * PAGE;
                let _ = madvise(start.byte_add(PAGE), rest, Advice::LinuxPopulateWrite);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use memmap2::MmapMut;

    use super::*;

    /// How many small pages of the block are in memory.
    fn resident(block: &MmapMut) -> usize {
        let mut pages = vec![0u8; block.len() / 4096];
        // SAFETY: the block is mapped, and there is a byte for each of its pages.
        let failed = unsafe {
            libc::mincore(block.as_ptr().cast_mut().cast(), block.len(), pages.as_mut_ptr())
        };
        assert_eq!(failed, 0);
        pages.iter().filter(|page| **page & 1 != 0).count()
    }

    #[test]
    fn only_large_blocks_before_the_first_execution_get_their_pages() {
        let resident_after = |pages: usize| {
            let block = MmapMut::map_anon(pages * PAGE).unwrap();
            on_malloc(block.as_ptr().cast(), block.len());
            resident(&block)
        };
        assert_eq!(resident_after(4), 0);
        ARE_MADE_NOW.store(true, Ordering::Relaxed);
        assert!(resident_after(4) >= 3 * PAGE / 4096);
        assert_eq!(resident_after(1), 0);
        assert_eq!(resident_after(PAGES + 1), 0);
        tables_are_made();
        assert_eq!(resident_after(4), 0);
    }
}

//! Memory that two processes share, and waiting for each other on it.

use std::fs::File;
use std::io;
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};

/// What asker and worker tell each other, in front of the areas. All zero at first.
#[repr(C)]
pub(super) struct Header {
    /// The number of the last request.
    pub(super) request: AtomicU32,
    /// The number of the last request that was answered, by the worker or, if that died, by the nursery.
    pub(super) answer: AtomicU32,
    /// Whether the answer is that the worker died.
    pub(super) died: AtomicBool,
    /// How it died, as `waitpid` says it.
    pub(super) status: AtomicI32,
    /// The process that takes requests now.
    pub(super) worker: AtomicI32,
    /// Processor time of the workers that died, in nanoseconds.
    pub(super) nanoseconds: AtomicU64,
    /// How many records of a run's last moments were written since the request was made.
    pub(super) records: AtomicU32,
    /// How long what the run told so far is.
    pub(super) told: AtomicU64,
}

/// The parts of the memory behind the header. Pages that nobody writes to cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area {
    Request,
    Answer,
    /// The last moments of a run.
    Record,
    /// What a run says while it runs.
    Told,
}

const HEADER: usize = 4096;
const AREA: usize = 128 << 20;
const AREAS: usize = 4;

/// The memory, mapped alike in all the processes that are forked from the one that made it.
pub(super) struct Shared {
    map: MmapRaw,
}

impl Shared {
    pub(super) fn new() -> io::Result<Shared> {
        // SAFETY: the name is a C string; the descriptor is checked before it becomes a file.
        let descriptor = unsafe { libc::memfd_create(c"dwindle".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is open and nobody else's.
        let file = unsafe { File::from_raw_fd(descriptor) };
        file.set_len((HEADER + AREAS * AREA) as u64)?;
        Ok(Shared { map: MmapOptions::new().map_raw(&file)? })
    }

    pub(super) fn header(&self) -> &Header {
        #[expect(clippy::cast_ptr_alignment, reason = "mapped memory begins with a page")]
        // SAFETY: the memory is large enough, aligned to a page and zero at first, which is a header; all of its fields are atomic.
        unsafe {
            &*self.map.as_ptr().cast::<Header>()
        }
    }

    /// What an area holds.
    ///
    /// # Safety
    /// Nobody writes to the area as long as the bytes live: between a request and its answer the request is the asker's no longer, and everything else is the
    /// worker's.
    pub(super) unsafe fn read(&self, area: Area) -> &[u8] {
        // SAFETY: an area lies within the memory; the rest is promised by the caller.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().add(HEADER + area as usize * AREA), AREA) }
    }

    /// An area, to be written to.
    ///
    /// # Safety
    /// Nobody else reads or writes the area as long as the bytes live.
    #[expect(clippy::mut_from_ref, reason = "the memory is another process's too, whatever the reference says")]
    pub(super) unsafe fn write(&self, area: Area) -> &mut [u8] {
        // SAFETY: an area lies within the memory; the rest is promised by the caller.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr().add(HEADER + area as usize * AREA), AREA) }
    }
}

/// How often a word is looked at before its reader sleeps: an answer that comes at once need not wake anybody.
const SPINS: u32 = 200;

/// Waits until `word` is no longer `old`, at most for `patience`.
pub(super) fn wait(word: &AtomicU32, old: u32, patience: Option<Duration>) {
    for _ in 0..SPINS {
        if word.load(Ordering::Acquire) != old {
            return;
        }
        std::hint::spin_loop();
    }
    let patience = patience.map(|patience| libc::timespec { tv_sec: patience.as_secs() as libc::time_t, tv_nsec: libc::c_long::from(patience.subsec_nanos()) });
    let timeout = patience.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the word and the time live until the call returns; a word that has changed, a signal and the end of patience all make it return.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, old, timeout, std::ptr::null::<u32>(), 0);
    }
}

/// Sets `word` and wakes whoever waits for it.
pub(super) fn set(word: &AtomicU32, value: u32) {
    word.store(value, Ordering::Release);
    // SAFETY: the word is mapped; waking nobody is no error.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX, std::ptr::null::<libc::timespec>(), std::ptr::null::<u32>(), 0);
    }
}

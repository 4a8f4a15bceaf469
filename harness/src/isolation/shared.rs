//! Memory that two processes share, and waiting for each other on it.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use memmap2::{MmapOptions, MmapRaw};

/// What stands in front of the areas: numbers that both sides read and write.
///
/// # Safety
/// All zeros is one of its values, all its fields are atomic, and it takes at most 64 KiB.
pub(crate) unsafe trait Header {}

/// The parts of the memory behind the header. Pages that nobody writes to cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// What one side asks, or the input that it runs.
    Request,
    /// What the other side answers, or what the first has to report.
    Answer,
    /// The last moments of a run.
    Record,
    /// What a run says while it runs.
    Told,
}

const HEADER: usize = 64 << 10;
/// How many bytes an area has.
pub(crate) const AREA: usize = 128 << 20;
const AREAS: usize = 4;

/// The memory, mapped alike in all the processes that are forked from the one that made it.
pub(crate) struct Shared<H> {
    map: MmapRaw,
    header: PhantomData<H>,
}

impl<H: Header> Shared<H> {
    /// Memory of zeros. It stays for as long as the process: the handlers of a process refer to it to the end.
    pub(crate) fn new() -> io::Result<&'static Shared<H>> {
        assert!(size_of::<H>() <= HEADER, "the header has to fit");
        // SAFETY: the name is a C string; the descriptor is checked before it becomes a file.
        let descriptor = unsafe { libc::memfd_create(c"dwindle".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is open and nobody else's.
        let file = unsafe { File::from_raw_fd(descriptor) };
        file.set_len((HEADER + AREAS * AREA) as u64)?;
        Ok(Box::leak(Box::new(Shared { map: MmapOptions::new().map_raw(&file)?, header: PhantomData })))
    }

    pub(crate) fn header(&self) -> &H {
        // SAFETY: the memory is large enough, aligned to a page and zero at first; the rest is promised by whoever made it a header.
        unsafe { &*self.map.as_ptr().cast::<H>() }
    }

    /// What an area holds.
    ///
    /// # Safety
    /// Nobody writes to the area as long as the bytes live: between a request and its answer the request is the asker's no longer, and everything else is the
    /// worker's.
    pub(crate) unsafe fn read(&self, area: Area) -> &[u8] {
        // SAFETY: an area lies within the memory; the rest is promised by the caller.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().add(HEADER + area as usize * AREA), AREA) }
    }

    /// An area, to be written to.
    ///
    /// # Safety
    /// Nobody else reads or writes the area as long as the bytes live.
    #[expect(clippy::mut_from_ref, reason = "the memory is another process's too, whatever the reference says")]
    pub(crate) unsafe fn write(&self, area: Area) -> &mut [u8] {
        // SAFETY: an area lies within the memory; the rest is promised by the caller.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr().add(HEADER + area as usize * AREA), AREA) }
    }
}

/// Sleeps until `word` is no longer `old`, at most for `patience`.
pub(crate) fn wait(word: &AtomicU32, old: u32, patience: Option<Duration>) {
    if word.load(Ordering::Acquire) != old {
        return;
    }
    let patience = patience.map(|patience| libc::timespec { tv_sec: patience.as_secs() as libc::time_t, tv_nsec: libc::c_long::from(patience.subsec_nanos()) });
    let timeout = patience.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the word and the time live until the call returns; a word that has changed, a signal and the end of patience all make it return.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, old, timeout, std::ptr::null::<u32>(), 0);
    }
}

/// How long a word is looked at before its reader sleeps. To wake a process on another core takes 10 to 50 microseconds, on a virtual machine more than on others:
/// twice what most candidates take.
const LOOKED_AT: Duration = Duration::from_micros(50);
/// How often it is looked at between two looks at the clock.
const LOOKS: u32 = 16;
/// So many waits at most go by between two that look.
const BLIND_MAX: u32 = 256;

/// Waits for answers most of which come at once: by looking, as long as that pays.
///
/// It pays if the other side runs on a core of its own. Where all the cores have other work, looking only takes the processor from whoever is to answer: after
/// each time that was in vain more waits sleep at once, until one that looks again is answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiter {
    /// How many waits sleep at once before the next one that looks.
    blind: u32,
    /// How many that will be if the next look is in vain too.
    blind_next: u32,
}

impl Waiter {
    /// As [`wait`], for a word that is likely to change soon.
    pub(crate) fn wait(&mut self, word: &AtomicU32, old: u32, patience: Option<Duration>) {
        if self.blind > 0 {
            self.blind -= 1;
        } else if changes_soon(word, old) {
            self.blind_next = 1;
            return;
        } else {
            self.blind = self.blind_next;
            self.blind_next = (self.blind_next * 2).clamp(1, BLIND_MAX);
        }
        wait(word, old, patience);
    }
}

fn changes_soon(word: &AtomicU32, old: u32) -> bool {
    let began = Instant::now();
    loop {
        for _ in 0..LOOKS {
            if word.load(Ordering::Acquire) != old {
                return true;
            }
            std::hint::spin_loop();
        }
        if began.elapsed() > LOOKED_AT {
            return false;
        }
    }
}

/// Sets `word` and wakes whoever waits for it.
pub(crate) fn set(word: &AtomicU32, value: u32) {
    word.store(value, Ordering::Release);
    // SAFETY: the word is mapped; waking nobody is no error.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX, std::ptr::null::<libc::timespec>(), std::ptr::null::<u32>(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_looks_in_vain_sleeps_at_once_until_a_look_is_answered() {
        let word = AtomicU32::new(7);
        let mut waiter = Waiter::default();
        let mut looks = 0;
        for _ in 0..1000 {
            looks += u32::from(waiter.blind == 0);
            waiter.wait(&word, 7, Some(Duration::from_micros(1)));
        }
        // The waits between two looks double, up to their greatest number: 0, 1, 2, 4, .. 128, 256, 256.
        assert_eq!((looks, waiter.blind_next), (12, BLIND_MAX));
        for _ in 0..=BLIND_MAX {
            waiter.wait(&word, 6, Some(Duration::from_mins(1)));
        }
        assert_eq!((waiter.blind, waiter.blind_next), (0, 1));
    }
}

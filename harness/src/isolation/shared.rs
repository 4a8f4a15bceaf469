//! Memory that two processes share.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::fd::FromRawFd;

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

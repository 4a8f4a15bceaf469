//! Memory that two processes share: numbers in front, and areas that hold one message each.
//!
//! The writer publishes a message by its length, which it stores last. The reader copies the
//! message before it interprets it. The writer may be a process that its target has damaged, and it
//! may continue to write.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use super::wire::Writer;

/// The numbers in front of the areas. Both sides read and write them.
///
/// # Safety
/// All zeros is a valid value, all fields are atomic, and the size is at most 64 KiB.
pub(crate) unsafe trait Header {}

/// The parts of the memory behind the header. A page costs nothing until a process writes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// The request of one side, or the input that it runs.
    Request,
    /// The answer of the other side, or the report of the first side.
    Answer,
    /// The record of a run's last moments.
    Record,
    /// The transcript, which a run writes while it runs.
    Transcript,
    /// The choices and spans of a run, entry by entry.
    Drawn,
    /// The numbers of the edges that a run covers.
    Covered,
}

const HEADER: usize = 128 << 10;
/// The size of an area in bytes. It includes the length of the message.
pub(crate) const AREA: usize = if cfg!(miri) { 1 << 20 } else { 128 << 20 };
const AREAS: usize = 6;
/// The size of the length in front of a message.
const LENGTH: usize = size_of::<AtomicU64>();
/// The length that marks a message that did not fit.
const TOO_LONG: u64 = u64::MAX;

/// The memory. It has the same address in all processes that are forked from the one that made it.
pub(crate) struct Shared<H> {
    memory: *mut c_void,
    header: PhantomData<H>,
}

// SAFETY: the header is atomic. The processes that share an area agree which of them writes to it.
unsafe impl<H: Header> Sync for Shared<H> {}
// SAFETY: the reasons are those for `Sync`.
unsafe impl<H: Header> Send for Shared<H> {}

impl<H: Header> Shared<H> {
    /// Makes zeroed memory. It stays mapped until the process ends, because signal handlers use it
    /// to the end.
    pub(crate) fn new() -> io::Result<&'static Shared<H>> {
        assert!(size_of::<H>() <= HEADER, "the header has to fit");
        Ok(Shared::at(map(HEADER + AREAS * AREA)?))
    }

    fn at(memory: *mut c_void) -> &'static Shared<H> {
        Box::leak(Box::new(Shared { memory, header: PhantomData }))
    }

    /// Makes zeroed memory, and the file behind it. A process that is started instead of forked
    /// maps the file with [`of`](Shared::of).
    pub(crate) fn with_file() -> io::Result<(&'static Shared<H>, File)> {
        use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

        let file = File::from(memfd_create(c"dwindle", MemfdFlags::CLOEXEC)?);
        ftruncate(&file, (HEADER + AREAS * AREA) as u64)?;
        Ok((Shared::of(&file)?, file))
    }

    /// Maps the memory behind a file that [`with_file`](Shared::with_file) made.
    pub(crate) fn of(file: &File) -> io::Result<&'static Shared<H>> {
        use rustix::mm::{MapFlags, ProtFlags, mmap};

        let size = HEADER + AREAS * AREA;
        if file.metadata()?.len() != size as u64 {
            return Err(io::Error::other("the file has another size"));
        }
        // SAFETY: the mapping is new. The file is large enough, and is never truncated.
        let memory = unsafe {
            mmap(
                std::ptr::null_mut(),
                size,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                file,
                0,
            )?
        };
        Ok(Shared::at(memory))
    }

    pub(crate) fn header(&self) -> &H {
        // SAFETY: the memory is large enough, aligned to a page and zero at first. The type of the
        // header promises the rest.
        unsafe { &*self.memory.cast::<H>() }
    }

    /// The address of an area.
    pub(crate) fn place(&self, area: Area) -> *mut c_void {
        // SAFETY: an area lies within the memory.
        unsafe { self.memory.byte_add(HEADER + area as usize * AREA) }
    }

    fn length(&self, area: Area) -> &AtomicU64 {
        // SAFETY: an area begins with a length, which is aligned to a page.
        unsafe { &*self.place(area).cast::<AtomicU64>() }
    }

    /// Opens an area for a new message, and clears the old message.
    ///
    /// # Safety
    /// Nothing else writes to the area while the message is written, in this process or in another.
    pub(crate) unsafe fn write(&'static self, area: Area) -> Outgoing {
        self.clear(area);
        // SAFETY: an area lies within the memory, which stays mapped. The caller promises the rest.
        unsafe { Outgoing::at(self.place(area)) }
    }

    /// Copies `message` into an area and publishes it.
    ///
    /// # Safety
    /// The rules are those of [`write`](Shared::write).
    #[cfg(feature = "libfuzzer")]
    #[inline]
    pub(crate) unsafe fn put(&self, area: Area, message: &[u8]) {
        let length = if message.len() <= AREA - LENGTH {
            // SAFETY: the area has room for the message. The caller promises the rest.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    message.as_ptr(),
                    self.place(area).byte_add(LENGTH).cast(),
                    message.len(),
                );
            };
            message.len() as u64
        } else {
            TOO_LONG
        };
        self.length(area).store(length, Ordering::Release);
    }

    /// Appends to the message of an area. A message that does not fit any more is marked as such.
    ///
    /// # Safety
    /// The rules are those of [`write`](Shared::write).
    #[cfg(feature = "libfuzzer")]
    pub(crate) unsafe fn extend(&self, area: Area, more: &[u8]) {
        let length = self.length(area).load(Ordering::Relaxed);
        let room = ((AREA - LENGTH) as u64).checked_sub(length);
        let length = if room.is_some_and(|room| more.len() as u64 <= room) {
            // SAFETY: the area has room for both. The caller promises the rest.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    more.as_ptr(),
                    self.place(area).byte_add(LENGTH + length as usize).cast(),
                    more.len(),
                );
            };
            length + more.len() as u64
        } else {
            TOO_LONG
        };
        self.length(area).store(length, Ordering::Release);
    }

    /// Clears the message of an area.
    pub(crate) fn clear(&self, area: Area) {
        self.length(area).store(0, Ordering::Release);
    }

    /// Replaces the contents of `copy` with the bytes published so far in an area. `None` if they
    /// did not fit there.
    pub(crate) fn read_into(&self, area: Area, copy: &mut Vec<u8>) -> Option<()> {
        copy.clear();
        let length = self.length(area).load(Ordering::Acquire);
        let length = usize::try_from(length).ok().filter(|length| *length <= AREA - LENGTH)?;
        copy.reserve(length);
        // SAFETY: the bytes lie within the area, and the copy has room for them. If another process
        // writes to them meanwhile, each byte of the copy is an old or a new one. No reference to
        // the shared bytes is made.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.place(area).byte_add(LENGTH).cast(),
                copy.as_mut_ptr(),
                length,
            );
            copy.set_len(length);
        }
        Some(())
    }

    /// A copy of the bytes published so far in an area. It is empty if they did not fit there.
    pub(crate) fn read(&self, area: Area) -> Vec<u8> {
        let mut copy = Vec::new();
        self.read_into(area, &mut copy);
        copy
    }
}

/// A message that a process is writing.
pub(crate) struct Outgoing {
    length: &'static AtomicU64,
    writer: Writer<'static>,
}

impl Outgoing {
    /// Begins a message in the area at `place`. The old message stays until this one is published
    /// or [restarted](Outgoing::restart).
    ///
    /// # Safety
    /// `place` comes from [`Shared::place`], and its memory stays mapped. Nothing else writes to
    /// the area while the message is written.
    pub(crate) unsafe fn at(place: *mut c_void) -> Outgoing {
        // SAFETY: an area begins with a length, which is aligned to a page. The caller promises the
        // rest.
        let (length, writer) = unsafe {
            (&*place.cast::<AtomicU64>(), Writer::at(place.byte_add(LENGTH).cast(), AREA - LENGTH))
        };
        Outgoing { length, writer }
    }

    /// Publishes the bytes written so far. Returns whether all of them fit.
    #[inline]
    pub(crate) fn publish(&self) -> bool {
        let written = self.writer.written();
        self.length.store(written.map_or(TOO_LONG, |length| length as u64), Ordering::Release);
        written.is_some()
    }

    /// Clears the message and begins the next one.
    pub(crate) fn restart(&mut self) {
        self.writer.restart();
        self.length.store(0, Ordering::Release);
    }
}

impl Deref for Outgoing {
    type Target = Writer<'static>;

    fn deref(&self) -> &Writer<'static> {
        &self.writer
    }
}

impl DerefMut for Outgoing {
    fn deref_mut(&mut self) -> &mut Writer<'static> {
        &mut self.writer
    }
}

/// Maps zeroed memory that forked processes share.
#[cfg(not(miri))]
pub(crate) fn map(size: usize) -> io::Result<*mut c_void> {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

    // SAFETY: the mapping is new.
    let memory = unsafe {
        mmap_anonymous(
            std::ptr::null_mut(),
            size,
            ProtFlags::READ | ProtFlags::WRITE,
            MapFlags::SHARED | MapFlags::NORESERVE,
        )?
    };
    Ok(memory)
}

/// Allocates zeroed memory. Miri has only one process, so nothing needs to share it.
#[cfg(miri)]
pub(crate) fn map(size: usize) -> io::Result<*mut c_void> {
    let layout = std::alloc::Layout::from_size_align(size, 4096).map_err(io::Error::other)?;
    // SAFETY: the size is not zero.
    Ok(unsafe { std::alloc::alloc_zeroed(layout) }.cast())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    struct Numbers(AtomicU32);

    // SAFETY: the only field is an atomic number.
    unsafe impl Header for Numbers {}

    fn shared() -> &'static Shared<Numbers> {
        Shared::new().unwrap()
    }

    #[test]
    fn a_message_is_read_as_far_as_it_was_published() {
        let shared = shared();
        // SAFETY: nothing else writes to the area.
        let mut message = unsafe { shared.write(Area::Record) };
        message.raw(b"first");
        assert!(message.publish());
        message.raw(b", second");
        assert_eq!(shared.read(Area::Record), b"first");
        assert!(message.publish());
        assert_eq!(shared.read(Area::Record), b"first, second");
        message.restart();
        assert_eq!(shared.read(Area::Record), b"");
        assert_eq!(shared.read(Area::Answer), b"");
    }

    #[test]
    fn a_message_that_does_not_fit_is_not_published() {
        let shared = shared();
        // SAFETY: nothing else writes to the area.
        let mut message = unsafe { shared.write(Area::Drawn) };
        message.raw(&vec![7; AREA - LENGTH]);
        assert!(message.publish());
        message.byte(8);
        assert!(!message.publish());
        assert_eq!(shared.read_into(Area::Drawn, &mut Vec::new()), None);
        assert_eq!(shared.read(Area::Drawn), b"");
    }

    #[test]
    fn an_impossible_length_is_not_a_message() {
        let shared = shared();
        shared.length(Area::Answer).store((AREA - LENGTH + 1) as u64, Ordering::Release);
        assert_eq!(shared.read_into(Area::Answer, &mut Vec::new()), None);
    }

    #[test]
    fn the_other_side_sees_numbers_and_messages() {
        let shared = shared();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // SAFETY: nothing else writes to the area.
                let mut message = unsafe { shared.write(Area::Request) };
                message.string(b"for the other side");
                message.publish();
                shared.header().0.store(1, Ordering::Release);
            });
            while shared.header().0.load(Ordering::Acquire) == 0 {
                std::thread::yield_now();
            }
            assert!(shared.read(Area::Request).ends_with(b"for the other side"));
        });
    }
}

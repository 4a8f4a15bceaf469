//! Memory that two processes share: numbers in front, and areas that hold one message each.
//!
//! A message is published by its length, which is stored last. Its reader copies it before it interprets it: the writer may be a process that its target has damaged,
//! and may write on.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use super::wire::Writer;

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
    Transcript,
    /// What a run drew, entry by entry.
    Drawn,
}

const HEADER: usize = 64 << 10;
/// How many bytes an area has, the length of its message among them.
pub(crate) const AREA: usize = if cfg!(miri) { 1 << 20 } else { 128 << 20 };
const AREAS: usize = 5;
/// The length of a message stands in front of it.
const LENGTH: usize = size_of::<AtomicU64>();
/// The length of a message that did not find room.
const TOO_LONG: u64 = u64::MAX;

/// The memory, mapped alike in all the processes that are forked from the one that made it.
pub(crate) struct Shared<H> {
    memory: *mut c_void,
    header: PhantomData<H>,
}

// SAFETY: the header is atomic, and who writes to an area is agreed upon between those that share it.
unsafe impl<H: Header> Sync for Shared<H> {}
// SAFETY: as above.
unsafe impl<H: Header> Send for Shared<H> {}

impl<H: Header> Shared<H> {
    /// Memory of zeros. It stays for as long as the process: the handlers of a process refer to it to the end.
    pub(crate) fn new() -> io::Result<&'static Shared<H>> {
        assert!(size_of::<H>() <= HEADER, "the header has to fit");
        Ok(Shared::at(map(HEADER + AREAS * AREA)?))
    }

    fn at(memory: *mut c_void) -> &'static Shared<H> {
        Box::leak(Box::new(Shared { memory, header: PhantomData }))
    }

    /// Memory of zeros, and the file behind it: a process that is started, and not forked, maps it anew with [`of`](Shared::of).
    pub(crate) fn with_file() -> io::Result<(&'static Shared<H>, File)> {
        use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

        let file = File::from(memfd_create(c"dwindle", MemfdFlags::CLOEXEC)?);
        ftruncate(&file, (HEADER + AREAS * AREA) as u64)?;
        Ok((Shared::of(&file)?, file))
    }

    /// The memory behind a file that [`with_file`](Shared::with_file) made.
    pub(crate) fn of(file: &File) -> io::Result<&'static Shared<H>> {
        use rustix::mm::{MapFlags, ProtFlags, mmap};

        let size = HEADER + AREAS * AREA;
        if file.metadata()?.len() != size as u64 {
            return Err(io::Error::other("the file has another size"));
        }
        // SAFETY: a new mapping of a file that is large enough and not cut short.
        let memory = unsafe { mmap(std::ptr::null_mut(), size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, file, 0)? };
        Ok(Shared::at(memory))
    }

    pub(crate) fn header(&self) -> &H {
        // SAFETY: the memory is large enough, aligned to a page and zero at first; the rest is promised by the type of the header.
        unsafe { &*self.memory.cast::<H>() }
    }

    /// Where an area begins.
    pub(crate) fn place(&self, area: Area) -> *mut c_void {
        // SAFETY: an area lies within the memory.
        unsafe { self.memory.byte_add(HEADER + area as usize * AREA) }
    }

    fn length(&self, area: Area) -> &AtomicU64 {
        // SAFETY: an area begins with a length, aligned to a page.
        unsafe { &*self.place(area).cast::<AtomicU64>() }
    }

    /// An area to write a message to. The message that was there is gone.
    ///
    /// # Safety
    /// Nothing else writes to the area as long as the message is written, neither in this process nor in another.
    pub(crate) unsafe fn write(&'static self, area: Area) -> Outgoing {
        self.clear(area);
        // SAFETY: an area lies within the memory, which stays; the rest is promised by the caller.
        unsafe { Outgoing::at(self.place(area)) }
    }

    /// Publishes `message` in an area, at the price of a copy.
    ///
    /// # Safety
    /// As for [`write`](Shared::write).
    #[cfg(feature = "libfuzzer")]
    #[inline]
    pub(crate) unsafe fn put(&self, area: Area, message: &[u8]) {
        let length = if message.len() <= AREA - LENGTH {
            // SAFETY: so many bytes have room in the area; the rest is promised by the caller.
            unsafe { std::ptr::copy_nonoverlapping(message.as_ptr(), self.place(area).byte_add(LENGTH).cast(), message.len()) };
            message.len() as u64
        } else {
            TOO_LONG
        };
        self.length(area).store(length, Ordering::Release);
    }

    /// Forgets the message of an area.
    pub(crate) fn clear(&self, area: Area) {
        self.length(area).store(0, Ordering::Release);
    }

    /// A copy of what was published in an area so far, put in the place of what `copy` holds. `None` if it found no room there.
    pub(crate) fn read_into(&self, area: Area, copy: &mut Vec<u8>) -> Option<()> {
        copy.clear();
        let length = self.length(area).load(Ordering::Acquire);
        let length = usize::try_from(length).ok().filter(|length| *length <= AREA - LENGTH)?;
        copy.reserve(length);
        // SAFETY: so many bytes lie within the area, and the copy has room for them. Should another process write to them meanwhile, the copy holds some bytes or
        // others; no reference to the shared ones is made.
        unsafe {
            std::ptr::copy_nonoverlapping(self.place(area).byte_add(LENGTH).cast(), copy.as_mut_ptr(), length);
            copy.set_len(length);
        }
        Some(())
    }

    /// A copy of what was published in an area so far; empty if it found no room there.
    pub(crate) fn read(&self, area: Area) -> Vec<u8> {
        let mut copy = Vec::new();
        self.read_into(area, &mut copy);
        copy
    }
}

/// A message that is being written.
pub(crate) struct Outgoing {
    length: &'static AtomicU64,
    writer: Writer<'static>,
}

impl Outgoing {
    /// A message in the area that begins at this place. The message that was there stays until this one is published or [begun anew](Outgoing::restart).
    ///
    /// # Safety
    /// The place is one of [`Shared::place`], of memory that stays. Nothing else writes to the area as long as the message is written.
    pub(crate) unsafe fn at(place: *mut c_void) -> Outgoing {
        // SAFETY: an area begins with a length, aligned to a page; the rest is promised by the caller.
        let (length, writer) = unsafe { (&*place.cast::<AtomicU64>(), Writer::at(place.byte_add(LENGTH).cast(), AREA - LENGTH)) };
        Outgoing { length, writer }
    }

    /// Shows what was written so far to the reader: whether all of it found room.
    #[inline]
    pub(crate) fn publish(&self) -> bool {
        let written = self.writer.written();
        self.length.store(written.map_or(TOO_LONG, |length| length as u64), Ordering::Release);
        written.is_some()
    }

    /// Begins the next message.
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

/// Memory of zeros that forked processes share.
#[cfg(not(miri))]
fn map(size: usize) -> io::Result<*mut c_void> {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

    // SAFETY: a new mapping, where the system has room for it.
    let memory = unsafe { mmap_anonymous(std::ptr::null_mut(), size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED | MapFlags::NORESERVE)? };
    Ok(memory)
}

/// Miri has one process, and no memory that others share.
#[cfg(miri)]
fn map(size: usize) -> io::Result<*mut c_void> {
    let layout = std::alloc::Layout::from_size_align(size, 4096).map_err(io::Error::other)?;
    // SAFETY: the size is not zero.
    Ok(unsafe { std::alloc::alloc_zeroed(layout) }.cast())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    struct Numbers(AtomicU32);

    // SAFETY: one atomic number.
    unsafe impl Header for Numbers {}

    fn shared() -> &'static Shared<Numbers> {
        Shared::new().unwrap()
    }

    #[test]
    fn a_message_is_read_as_far_as_it_was_published() {
        let shared = shared();
        // SAFETY: nothing else writes.
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
    fn a_message_without_room_is_none() {
        let shared = shared();
        // SAFETY: nothing else writes.
        let mut message = unsafe { shared.write(Area::Drawn) };
        message.raw(&vec![7; AREA - LENGTH]);
        assert!(message.publish());
        message.byte(8);
        assert!(!message.publish());
        assert_eq!(shared.read_into(Area::Drawn, &mut Vec::new()), None);
        assert_eq!(shared.read(Area::Drawn), b"");
    }

    #[test]
    fn a_length_that_cannot_be_is_no_message() {
        let shared = shared();
        shared.length(Area::Answer).store((AREA - LENGTH + 1) as u64, Ordering::Release);
        assert_eq!(shared.read_into(Area::Answer, &mut Vec::new()), None);
    }

    #[test]
    fn the_other_side_sees_numbers_and_messages() {
        let shared = shared();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // SAFETY: nothing else writes.
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

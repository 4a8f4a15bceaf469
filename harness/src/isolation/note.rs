//! Memory that is allocated beforehand, for facts about the current run. A handler reads it without
//! a lock.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::wire::Writer;

/// A few bytes. Storing their length publishes them.
pub(super) struct Note<const SIZE: usize> {
    length: AtomicUsize,
    bytes: UnsafeCell<[u8; SIZE]>,
}

// SAFETY: a handler may read bytes that another thread changes. It copies them, and the reader of
// the copy accepts any bytes.
unsafe impl<const SIZE: usize> Sync for Note<SIZE> {}

impl<const SIZE: usize> Note<SIZE> {
    pub(super) const fn new() -> Note<SIZE> {
        Note { length: AtomicUsize::new(0), bytes: UnsafeCell::new([0; SIZE]) }
    }

    #[inline]
    pub(super) fn clear(&self) {
        self.length.store(0, Ordering::Release);
    }

    /// Replaces the note. If `write` writes more than `SIZE` bytes, the note is empty.
    pub(super) fn set(&self, write: impl FnOnce(&mut Writer<'_>, usize)) {
        self.clear();
        // SAFETY: one thread at a time writes a note: the thread that runs the target, or the first
        // thread that panics.
        let mut writer = unsafe { Writer::at(self.bytes.get().cast(), SIZE) };
        write(&mut writer, SIZE);
        self.length.store(writer.written().unwrap_or(0), Ordering::Release);
    }

    /// Appends the note to `writer`, with its length in front. Safe in a signal handler.
    pub(super) fn copy_to(&self, writer: &mut Writer<'_>) {
        let length = self.length.load(Ordering::Acquire).min(SIZE);
        // SAFETY: the bytes lie within the note. Changes by another thread are allowed, as stated
        // at `Sync`.
        writer.string(unsafe { std::slice::from_raw_parts(self.bytes.get().cast::<u8>(), length) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_replaced_and_cleared_and_cut_off_at_its_end() {
        static NOTE: Note<16> = Note::new();
        let copy = || {
            let mut memory = [0; 64];
            let mut writer = Writer::new(&mut memory);
            NOTE.copy_to(&mut writer);
            let length = writer.written().unwrap();
            memory[size_of::<u64>()..length].to_vec()
        };
        assert_eq!(copy(), b"");
        NOTE.set(|writer, _| writer.raw(b"first"));
        NOTE.set(|writer, _| writer.raw(b"other"));
        assert_eq!(copy(), b"other");
        NOTE.set(|writer, size| writer.raw(&[7; 100][..size]));
        assert_eq!(copy(), [7; 16]);
        NOTE.clear();
        assert_eq!(copy(), b"");
    }
}

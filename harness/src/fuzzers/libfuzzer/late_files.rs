//! New files of the corpus are written up to a second late, by the supervisor.
//!
//! In the first seconds of a run, libFuzzer keeps hundreds of inputs, and soon puts shorter ones in
//! the place of most of them. To write and remove their files takes as long as to run the target.
//! So the fuzzer puts a file that libFuzzer writes into memory, which it shares with its
//! supervisor. A file that libFuzzer removes before a second has passed is never written. The
//! supervisor writes the others, and all of them when the fuzzer dies or ends. What waits is lost
//! only if the supervisor itself is killed. The switch is `late-files`.
//!
//! It relies on this: libFuzzer calls `fopen`, `fwrite`, `fclose` and `unlink` for these files, and
//! gives them the hash of their content as a name (`late_files/interposed.rs`).

#[cfg(all(target_env = "gnu", not(target_feature = "crt-static"), not(miri)))]
mod interposed;

use std::ffi::c_void;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::events;
use crate::isolation::shared::map;
use crate::switches::Switch;

/// How long a file waits.
const WAIT: Duration = Duration::from_secs(1);
/// The bytes for the files that wait. A file that does not fit is written at once.
const ROOM: usize = 4 << 20;
/// The length of a file's name.
const NAME: usize = 40;

/// The name of a file: a hash in hex digits.
type Name = [u8; NAME];

/// The numbers in front of the files.
#[repr(C)]
struct Numbers {
    /// How many bytes the fuzzer has used since the beginning. A byte's place is its number modulo
    /// [`ROOM`].
    used: AtomicU64,
    /// How many of them the supervisor has read.
    read: AtomicU64,
}

/// The front of a file. Its content follows, and zeros up to the next multiple of 8.
#[repr(C)]
struct Front {
    state: AtomicU32,
    length: u32,
    name: Name,
}

const FRONT: usize = size_of::<Front>();

/// The states of a file.
const WAITS: u32 = 1;
/// The supervisor writes it at the moment.
const IS_WRITTEN: u32 = 2;
/// It is on the disk, or libFuzzer has removed it.
const IS_DONE: u32 = 3;
/// No file: the next one begins at the first byte of the memory.
const END: u32 = 4;

/// The memory that both processes share. Files lie in it one after the other, in a ring.
#[derive(Clone, Copy)]
pub(super) struct Ring(*mut c_void);

// SAFETY: the fuzzer alone adds files, the supervisor alone reads them, and the numbers are atomic.
unsafe impl Send for Ring {}

impl Ring {
    fn new() -> io::Result<Ring> {
        Ok(Ring(map(size_of::<Numbers>() + ROOM)?))
    }

    fn numbers(self) -> &'static Numbers {
        // SAFETY: the memory begins with the numbers. It stays mapped to the end of the process.
        unsafe { &*self.0.cast::<Numbers>() }
    }

    /// The front at this number of a byte, which is a multiple of 8.
    fn front(self, byte: u64) -> *mut Front {
        // SAFETY: the place lies in the memory.
        unsafe { self.0.byte_add(size_of::<Numbers>() + place(byte)).cast() }
    }

    fn state(self, byte: u64) -> &'static AtomicU32 {
        // SAFETY: at least 8 bytes follow each place that is a multiple of 8.
        unsafe { &(*self.front(byte)).state }
    }

    /// The fuzzer adds a file. Returns whether there was room for it.
    fn add(self, name: &Name, content: &[u8]) -> bool {
        let numbers = self.numbers();
        let (mut used, read) =
            (numbers.used.load(Ordering::Relaxed), numbers.read.load(Ordering::Acquire));
        let size = size_of_file(content.len());
        let to_the_end = ROOM - place(used);
        let skipped = if size > to_the_end { to_the_end } else { 0 };
        if size > ROOM || used.wrapping_sub(read) + (skipped + size) as u64 > ROOM as u64 {
            return false;
        }
        if skipped > 0 {
            self.state(used).store(END, Ordering::Relaxed);
            used += skipped as u64;
        }
        // SAFETY: the supervisor does not read this part of the memory before `used` says that a
        // file is there. The file fits.
        unsafe {
            let front = self.front(used);
            (*front).length = content.len() as u32;
            (*front).name = *name;
            front.cast::<u8>().add(FRONT).copy_from_nonoverlapping(content.as_ptr(), content.len());
        }
        self.state(used).store(WAITS, Ordering::Relaxed);
        numbers.used.store(used + size as u64, Ordering::Release);
        true
    }

    /// The fuzzer removes a file that waits. Returns whether it did wait.
    fn remove(self, name: &Name) -> bool {
        let numbers = self.numbers();
        let used = numbers.used.load(Ordering::Relaxed);
        let mut byte = numbers.read.load(Ordering::Acquire);
        while let Some((file, next)) = self.next(byte, used) {
            byte = next;
            let Some(file) = file.filter(|file| self.name(*file) == *name) else { continue };
            let state = self.state(file);
            loop {
                match state.compare_exchange(WAITS, IS_DONE, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return true,
                    Err(IS_WRITTEN) => std::thread::yield_now(),
                    Err(_) => break,
                }
            }
        }
        false
    }

    /// The file at a byte, and the byte behind it. `None` at the end, or if the memory is damaged.
    fn next(self, byte: u64, used: u64) -> Option<(Option<u64>, u64)> {
        let (left, to_the_end) = (used.checked_sub(byte)?, (ROOM - place(byte)) as u64);
        if left == 0 || left > ROOM as u64 || !byte.is_multiple_of(8) {
            return None;
        }
        if self.state(byte).load(Ordering::Acquire) == END {
            return Some((None, byte + to_the_end));
        }
        if (FRONT as u64) > left.min(to_the_end) {
            return None;
        }
        // SAFETY: the front lies in the memory.
        let length = unsafe { (*self.front(byte)).length } as usize;
        let size = size_of_file(length) as u64;
        (size <= left.min(to_the_end)).then_some((Some(byte), byte + size))
    }

    fn name(self, file: u64) -> Name {
        // SAFETY: `next` has found a file there.
        unsafe { (*self.front(file)).name }
    }

    fn content(self, file: u64, size: u64) -> Vec<u8> {
        let mut content = vec![0; size as usize - FRONT];
        // SAFETY: `next` has found a file of this size there.
        unsafe {
            let front = self.front(file);
            content.truncate((*front).length as usize);
            let bytes = front.cast::<u8>().add(FRONT);
            bytes.copy_to_nonoverlapping(content.as_mut_ptr(), content.len());
        }
        content
    }

    fn is_empty(self) -> bool {
        let numbers = self.numbers();
        numbers.used.load(Ordering::Acquire) == numbers.read.load(Ordering::Relaxed)
    }

    /// The supervisor writes all files that wait. Gives the last error.
    fn write_all(self, folder: &Path) -> io::Result<()> {
        let numbers = self.numbers();
        let used = numbers.used.load(Ordering::Acquire);
        let mut byte = numbers.read.load(Ordering::Relaxed);
        let mut ended = Ok(());
        while let Some((file, next)) = self.next(byte, used) {
            if let Some(file) = file {
                ended = self.write(folder, file, next - file).and(ended);
            }
            byte = next;
            numbers.read.store(byte, Ordering::Release);
        }
        // A target may have damaged the memory. Then the rest is lost.
        numbers.read.store(used, Ordering::Release);
        ended
    }

    fn write(self, folder: &Path, file: u64, size: u64) -> io::Result<()> {
        let state = self.state(file);
        if state.compare_exchange(WAITS, IS_WRITTEN, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return Ok(());
        }
        let written = match std::str::from_utf8(&self.name(file)) {
            Ok(name) if is_hash(name.as_bytes()) => {
                fs::write(folder.join(name), self.content(file, size))
            }
            _ => Ok(()),
        };
        state.store(IS_DONE, Ordering::Release);
        written
    }
}

fn place(byte: u64) -> usize {
    byte as usize % ROOM
}

fn size_of_file(length: usize) -> usize {
    (FRONT + length).next_multiple_of(8)
}

fn is_hash(name: &[u8]) -> bool {
    name.len() == NAME && name.iter().all(u8::is_ascii_hexdigit)
}

/// The supervisor's part: the files that wait, and the folder that they belong to.
pub(super) struct LateFiles {
    ring: Ring,
    folder: PathBuf,
    /// When the supervisor first saw a file that waits now.
    since: Option<Instant>,
    has_failed: bool,
}

impl LateFiles {
    /// `None` if files are written at once: the switch is off, or there is no memory.
    pub(super) fn of(folder: PathBuf) -> Option<LateFiles> {
        let ring = Switch::LateFiles.is_on().then(Ring::new)?.ok()?;
        Some(LateFiles { ring, folder, since: None, has_failed: false })
    }

    /// From now on this process, which is a fuzzer, gives its files to the supervisor.
    pub(super) fn begin(&self) {
        #[cfg(all(target_env = "gnu", not(target_feature = "crt-static"), not(miri)))]
        interposed::begin(self.ring, &self.folder);
    }

    /// Writes the files if one of them has waited long enough.
    pub(super) fn look(&mut self) {
        if self.ring.is_empty() {
            self.since = None;
        } else if self.since.get_or_insert_with(Instant::now).elapsed() >= WAIT {
            self.write_all();
        }
    }

    /// Writes all files.
    pub(super) fn write_all(&mut self) {
        self.since = None;
        if let Err(error) = self.ring.write_all(&self.folder)
            && !std::mem::replace(&mut self.has_failed, true)
        {
            events::error(&format!(
                "cannot write a new input into {}: {error}; new inputs may be lost when the run \
                 ends",
                self.folder.display()
            ));
        }
    }
}

/// Whether this fuzzer has given files to its supervisor since the last call. Then dwindle's own
/// code has set counters.
#[inline]
pub(super) fn were_added() -> bool {
    ADDED.load(Ordering::Relaxed) && ADDED.swap(false, Ordering::Relaxed)
}

static ADDED: AtomicBool = AtomicBool::new(false);

#[cfg(test)]
mod tests;

//! The answers of Linux.

use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, kill_process, test_kill_process};

/// Renames without replacing. A plain rename would silently replace an empty folder.
pub(crate) fn rename_without_replacing(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems (NFS, some FUSE ones) do not know the flag. A plain rename is safe
        // there: a bug's folder is never empty, and a rename does not replace a folder with files
        // in it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => fs::rename(from, to),
        done => Ok(done?),
    }
}

/// Opens a folder, to sync or to lock it. `None` if the system cannot open folders.
pub(crate) fn open_folder(path: &Path) -> io::Result<Option<File>> {
    File::open(path).map(Some)
}

/// The bytes of a file in memory.
pub(crate) enum Contents {
    Mapped(Mmap),
    Copied(Vec<u8>),
}

impl Contents {
    /// Maps a file that is not empty. The file must not be truncated while the result lives.
    pub(crate) fn of(file: &File) -> io::Result<Contents> {
        // SAFETY: the map is only read, and inputs do not change in place while they are read. The
        // store replaces files by renaming; libFuzzer and AFL++ write each input once. For other
        // files the docs of `read_input` pass the duty to the caller.
        unsafe { Mmap::map(file) }.map(Contents::Mapped)
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Contents {
        Contents::Copied(bytes)
    }
}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Contents::Mapped(map) => map,
            Contents::Copied(bytes) => bytes,
        }
    }
}

/// The error of a full disk, for tests.
pub(crate) fn disk_full() -> io::Error {
    Errno::NOSPC.into()
}

/// Kills this process at once, for tests.
pub(crate) fn kill_this_process() -> io::Result<()> {
    Ok(kill_process(getpid(), Signal::KILL)?)
}

/// A process id is valid only inside one pid namespace of one machine, so the text has both.
pub(crate) fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{} {}", name.trim(), namespace.display())
}

/// The start of a process, `None` if it does not run. The text includes the boot id, because ticks
/// count from boot.
pub(crate) fn start_of(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Field 2 is the command in parentheses. It may hold any characters, including parentheses.
    // Field 22 is the start time.
    let after_command = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_command.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    let ticks = fields.nth(18)?;
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Some(format!("{} {ticks}", boot.trim()))
}

/// Whether a process exists although its start is unknown: `/proc` is mounted with `hidepid`.
/// `None` if the system does not say.
#[expect(clippy::unnecessary_wraps, reason = "other systems do not say")]
pub(crate) fn exists_without_start(pid: u32) -> Option<bool> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    Some(pid.is_some_and(|pid| test_kill_process(pid) == Err(Errno::PERM)))
}

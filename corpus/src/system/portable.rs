//! The answers of the standard library.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;
use std::process;
use std::sync::{Mutex, PoisonError};

/// Renames without replacing. Another process may take the name in between. Then the rename fails,
/// because a bug's folder is never empty.
pub(crate) fn rename_without_replacing(from: &Path, to: &Path) -> io::Result<()> {
    let is_taken = || fs::symlink_metadata(to).is_ok();
    if is_taken() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    // Systems give different errors for a taken name.
    fs::rename(from, to)
        .map_err(|error| if is_taken() { io::ErrorKind::AlreadyExists.into() } else { error })
}

/// Opens a folder, to sync or to lock it. `None` if the system cannot open folders.
pub(crate) fn open_folder(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && path.is_dir() => Ok(None),
        opened => opened.map(Some),
    }
}

/// The bytes of a file in memory.
pub(crate) struct Contents(Vec<u8>);

impl Contents {
    /// Reads a file.
    pub(crate) fn of(mut file: &File) -> io::Result<Contents> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map(|_| Contents(bytes))
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Contents {
        Contents(bytes)
    }
}

impl Deref for Contents {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// The error of a full disk, for tests.
pub(crate) fn disk_full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

/// Kills this process at once, for tests.
pub(crate) fn kill_this_process() -> io::Result<()> {
    process::abort()
}

/// The same for every host: names of processes differ by their start.
pub(crate) fn host() -> String {
    "any host".to_owned()
}

/// A random text for this process. `None` for every other one.
pub(crate) fn start_of(pid: u32) -> Option<String> {
    static START: Mutex<Option<(u32, u64)>> = Mutex::new(None);
    if pid != process::id() {
        return None;
    }
    let mut start = START.lock().unwrap_or_else(PoisonError::into_inner);
    let random = match *start {
        Some((owner, random)) if owner == pid => random,
        // A forked child is another process.
        _ => RandomState::new().hash_one(pid),
    };
    *start = Some((pid, random));
    Some(random.to_string())
}

/// Whether a process exists although its start is unknown. `None`: the system does not say.
pub(crate) fn exists_without_start(_pid: u32) -> Option<bool> {
    None
}

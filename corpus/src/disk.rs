//! Every change that the store makes on disk. [`Disk::replace`] is durable, and happens as a whole
//! or not at all. The other operations are the steps of such changes.
//!
//! All operations go through [`Disk`], so that tests can make any of them fail (see
//! [`crate::FaultPlan`]).

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::fault::FaultPlan;
use crate::system::{open_folder, rename_without_replacing};
use crate::{StoreError, Writer};

/// How long the store keeps a temporary file of another host. Every write takes less than a day, so
/// an older file is abandoned.
const FOREIGN_TEMPORARY_AGE_MAX: Duration = Duration::from_hours(24);

const TEMPORARY_PREFIX: &str = ".tmp-";

#[derive(Clone, Debug)]
pub(crate) struct Disk {
    faults: FaultPlan,
}

impl Disk {
    pub(crate) fn new(faults: FaultPlan) -> Disk {
        Disk { faults }
    }

    /// Creates one folder. Succeeds if the folder already exists.
    pub(crate) fn create_folder(&self, path: &Path) -> Result<(), StoreError> {
        match self.step().and_then(|()| fs::create_dir(path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            done => done.map_err(|error| StoreError::io("create", path, error)),
        }
    }

    /// Creates a folder and its parents.
    pub(crate) fn create_folders(&self, path: &Path) -> Result<(), StoreError> {
        self.step()
            .and_then(|()| fs::create_dir_all(path))
            .map_err(|error| StoreError::io("create", path, error))
    }

    /// Writes a new file and syncs it to the disk. The write is not atomic, so use it only for
    /// files that readers skip.
    pub(crate) fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let mut file = self
            .step()
            .and_then(|()| File::create_new(path))
            .map_err(|error| StoreError::io("create", path, error))?;
        let fault = self.faults.next_write();
        let part =
            if fault == crate::fault::Fault::None { bytes } else { &bytes[..bytes.len() / 2] };
        file.write_all(part)
            .and_then(|()| fault.strike())
            .map_err(|error| StoreError::io("write", path, error))?;
        self.step()
            .and_then(|()| file.sync_all())
            .map_err(|error| StoreError::io("sync", path, error))
    }

    /// Syncs a folder: after this, its new, renamed and removed files survive a power cut.
    pub(crate) fn sync_folder(&self, path: &Path) -> Result<(), StoreError> {
        self.step()
            .and_then(|()| open_folder(path)?.map_or(Ok(()), |folder| folder.sync_all()))
            .map_err(|error| StoreError::io("sync", path, error))
    }

    /// Renames a file and replaces the file at `to`.
    pub(crate) fn rename_over(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        self.step()
            .and_then(|()| fs::rename(from, to))
            .map_err(|error| StoreError::io("replace", to, error))
    }

    /// Renames a folder to an unused name. If the name is taken, returns `false` and changes
    /// nothing.
    pub(crate) fn rename_new(&self, from: &Path, to: &Path) -> Result<bool, StoreError> {
        match self.step().and_then(|()| rename_without_replacing(from, to)) {
            Ok(()) => Ok(true),
            Err(error) if is_taken(&error) => Ok(false),
            Err(error) => Err(StoreError::io("create", to, error)),
        }
    }

    /// Removes a file. Succeeds if the file does not exist.
    pub(crate) fn remove_file(&self, path: &Path) -> Result<(), StoreError> {
        ignore_missing(self.step().and_then(|()| fs::remove_file(path)))
            .map_err(|error| StoreError::io("remove", path, error))
    }

    /// Tries to remove a temporary file or folder. If this fails, [`Disk::sweep`] removes it after
    /// its writer has ended.
    pub(crate) fn discard(&self, temporary: &Path) {
        let _ = self.step().and_then(|()| match fs::remove_file(temporary) {
            Err(_) if temporary.is_dir() => fs::remove_dir_all(temporary),
            done => done,
        });
    }

    /// Replaces one file as a whole. The old file stays if this fails or the process is killed.
    pub(crate) fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let staged = self.stage(folder, bytes)?;
        staged.put(path)?;
        self.sync_folder(folder)
    }

    /// Writes a temporary file and syncs it to the disk. [`Staged::put`] then gives it its name.
    pub(crate) fn stage(&self, folder: &Path, bytes: &[u8]) -> Result<Staged<'_>, StoreError> {
        let staged = Staged { disk: self, path: Some(temporary_in(folder)) };
        self.write_new(staged.path.as_deref().unwrap_or(folder), bytes)?;
        Ok(staged)
    }

    /// Removes the unfinished files that dead writers left in `folder`. Files of running writers
    /// stay.
    pub(crate) fn sweep(&self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            if is_temporary(&entry.file_name()) && is_abandoned(&entry.path()) {
                self.discard(&entry.path());
            }
        }
    }

    fn step(&self) -> io::Result<()> {
        self.faults.next_step().strike()
    }
}

/// A temporary file, complete and on the disk. Dropping it without [`Staged::put`] removes the
/// file.
pub(crate) struct Staged<'a> {
    disk: &'a Disk,
    path: Option<PathBuf>,
}

impl Staged<'_> {
    pub(crate) fn put(mut self, to: &Path) -> Result<(), StoreError> {
        let Some(from) = &self.path else {
            return Ok(());
        };
        self.disk.rename_over(from, to)?;
        self.path = None;
        Ok(())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            self.disk.discard(path);
        }
    }
}

/// Returns an unused path in `folder`. Its name is unique to this writer, and readers skip it.
pub(crate) fn temporary_in(folder: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{TEMPORARY_PREFIX}{}-{n}", Writer::this_process()))
}

pub(crate) fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes())
}

fn is_abandoned(temporary: &Path) -> bool {
    let name = temporary.file_name().and_then(OsStr::to_str);
    let writer = name
        .and_then(|name| name.strip_prefix(TEMPORARY_PREFIX))
        .and_then(|name| name.rsplit_once('-'))
        .and_then(|(writer, _)| Writer::from_name(writer));
    match writer.as_ref().and_then(Writer::is_alive) {
        Some(is_alive) => !is_alive,
        None => age(temporary).is_some_and(|age| age > FOREIGN_TEMPORARY_AGE_MAX),
    }
}

fn age(path: &Path) -> Option<Duration> {
    let modified = fs::symlink_metadata(path).and_then(|m| m.modified()).ok()?;
    SystemTime::now().duration_since(modified).ok()
}

fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}

fn ignore_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    #[cfg(feature = "fuzzing")]
    use std::fs::FileTimes;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_empty_folder_in_the_way_is_not_replaced() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("from"), root.path().join("to"));
        fs::create_dir(&from).unwrap();
        fs::create_dir(&to).unwrap();
        assert!(!Disk::new(FaultPlan::none()).rename_new(&from, &to).unwrap());
        assert!(from.exists());
    }

    #[test]
    fn a_failed_replacement_leaves_the_old_file_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        let counting = FaultPlan::counting();
        Disk::new(counting.clone()).replace(&file, b"old").unwrap();
        // The last step syncs the folder, after the new file has its name.
        for n in 1..counting.steps() {
            let error = Disk::new(FaultPlan::fail_at(n)).replace(&file, b"new!").unwrap_err();
            assert!(error.is_disk_full(), "{error}");
            assert_eq!(fs::read(&file).unwrap(), b"old", "step {n}");
            assert_eq!(names(root.path()), ["file"], "step {n}");
        }
    }

    // Only Linux says which other processes are dead.
    #[cfg(feature = "fuzzing")]
    #[test]
    fn only_temporary_files_of_dead_writers_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let me = Writer::this_process().to_string();
        let dead =
            me.replacen(&format!("-{}-", std::process::id()), &format!("-{}-", child.id()), 1);
        let foreign = Writer::of("elsewhere", 1, "now").to_string();
        for name in [&me, &dead, &foreign] {
            fs::write(root.path().join(format!(".tmp-{name}-0")), "x").unwrap();
        }
        let old = root.path().join(format!(".tmp-{foreign}-1"));
        let past = SystemTime::now() - Duration::from_hours(48);
        let file = File::create(&old).unwrap();
        file.set_times(FileTimes::new().set_modified(past)).unwrap();
        let folder = root.path().join(format!(".tmp-{dead}-1"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("input"), "x").unwrap();
        fs::write(root.path().join("kept"), "x").unwrap();

        Disk::new(FaultPlan::none()).sweep(root.path());
        let mut expected =
            vec![format!(".tmp-{foreign}-0"), format!(".tmp-{me}-0"), "kept".to_owned()];
        expected.sort();
        assert_eq!(names(root.path()), expected);
    }
}

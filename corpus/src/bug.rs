//! The files of one bug: their names, and reading them.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::names::names_in;
use crate::report::NotAReport;
use crate::system::open_folder;
use crate::{BugId, Report, StoreError, content_hash};

const ORIGINAL_PREFIX: &str = "original-";

/// The files of one bug or of one of its variants. The methods that return a path do not touch the
/// disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    id: BugId,
    dir: PathBuf,
}

impl Bug {
    pub(crate) fn at(id: BugId, dir: PathBuf) -> Bug {
        Bug { id, dir }
    }

    /// The id of the bug, also for a variant.
    pub fn id(&self) -> BugId {
        self.id
    }

    /// The folder of all files of this bug.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file that replays the bug. It is minimized once the report says so.
    pub fn input(&self) -> PathBuf {
        self.dir.join("input")
    }

    /// `report.json`.
    pub fn report(&self) -> PathBuf {
        self.dir.join("report.json")
    }

    /// `report.txt`.
    pub fn report_text(&self) -> PathBuf {
        self.dir.join("report.txt")
    }

    /// The name of [`Bug::whole_text`].
    pub(crate) const WHOLE: &str = "full.txt";

    /// `full.txt`: the text of `report.txt` with nothing cut. It exists only if the reports cut
    /// something.
    pub fn whole_text(&self) -> PathBuf {
        self.dir.join(Self::WHOLE)
    }

    /// The name of [`Bug::steps`].
    pub(crate) const STEPS: &str = "shrink.jsonl";

    /// `shrink.jsonl`: how the present input became small, one step on each line. It may be
    /// missing.
    pub fn steps(&self) -> PathBuf {
        self.dir.join(Self::STEPS)
    }

    /// `repro.rs`. It exists only if the present input has a test.
    pub fn repro(&self) -> PathBuf {
        self.dir.join("repro.rs")
    }

    /// A hit of the bug as the fuzzer found it. After a merge there may be several; this is the
    /// first by name.
    ///
    /// # Errors
    /// There is no original, or the folder cannot be read.
    pub fn original(&self) -> Result<PathBuf, StoreError> {
        let first = self.originals()?.into_iter().next();
        first.ok_or_else(|| StoreError::damaged_bug(&self.dir, "holds no original input"))
    }

    /// All hits that the store keeps byte for byte, sorted by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn originals(&self) -> Result<Vec<PathBuf>, StoreError> {
        let names = names_in(&self.dir)?;
        Ok(names
            .iter()
            .filter(|name| name.starts_with(ORIGINAL_PREFIX))
            .map(|name| self.dir.join(name))
            .collect())
    }

    /// Whether the store keeps these bytes as a hit of this bug.
    pub fn has_original(&self, bytes: &[u8]) -> bool {
        self.dir.join(Bug::original_named(&content_hash(bytes))).is_file()
    }

    /// Reads `report.json`.
    ///
    /// # Errors
    /// The report is missing, broken, about another bug, or written by a newer dwindle
    /// ([`StoreError::is_newer`]).
    pub fn read_report(&self) -> Result<Report, StoreError> {
        let path = self.report();
        let json = match fs::read(&path) {
            Ok(json) => json,
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.dir.is_dir() => {
                return Err(StoreError::damaged_bug(&path, "is missing"));
            }
            Err(error) => return Err(StoreError::io("read", &path, error)),
        };
        let report = Report::from_json(&json).map_err(|error| match error {
            NotAReport::Newer(format) => StoreError::newer(&path, format),
            NotAReport::Broken(error) => {
                StoreError::damaged_bug(&path, format!("is not a report ({error})"))
            }
        })?;
        if report.bug_id != self.id {
            return Err(StoreError::damaged_bug(
                &path,
                format!("is a report about another bug, {}", report.bug_id),
            ));
        }
        Ok(report)
    }

    pub(crate) fn hits(&self) -> PathBuf {
        self.dir.join("sightings")
    }

    pub(crate) fn contents(&self) -> PathBuf {
        self.dir.join("contents")
    }

    /// The file name of the original with this hash.
    pub(crate) fn original_named(hash: &str) -> String {
        format!("{ORIGINAL_PREFIX}{hash}")
    }

    /// Returns the report of a bug that can be replayed, or an error that says what is wrong with
    /// it.
    pub(crate) fn examine(&self) -> Result<Report, StoreError> {
        let report = self.read_report()?;
        match fs::metadata(self.input()) {
            Ok(metadata) if metadata.is_file() => Ok(report),
            Ok(_) => Err(StoreError::damaged_bug(&self.input(), "is not a file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::damaged_bug(&self.input(), "is missing"))
            }
            Err(error) => Err(StoreError::io("read", &self.input(), error)),
        }
    }

    /// Reserves the bug for this process to minimize. `None` if another process has reserved it.
    ///
    /// The reservation ends when the file is dropped or the process ends. It saves work: without it
    /// two processes could minimize the same bug. On file systems without locks every process gets
    /// the reservation.
    ///
    /// # Errors
    /// The bug does not exist, or its original cannot be opened.
    pub fn reserve(&self) -> Result<Option<File>, StoreError> {
        let original = self.original()?;
        let file =
            File::open(&original).map_err(|error| StoreError::io("open", &original, error))?;
        Ok(if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) { None } else { Some(file) })
    }

    /// Locks this bug against changes by others while the result lives.
    ///
    /// The system removes the lock when the process ends. Where folders have no locks this has no
    /// effect: if two writers finish one bug in the same instant, the later result stays, even if
    /// it is the larger one.
    pub(crate) fn lock(&self) -> Result<Option<File>, StoreError> {
        let folder = open_folder(&self.dir).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                StoreError::missing(&self.dir, "does not exist; claim the bug first")
            }
            _ => StoreError::io("open", &self.dir, error),
        })?;
        let _ = folder.as_ref().map(File::lock);
        Ok(folder)
    }
}

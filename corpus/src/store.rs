//! The bugs of one target: opening the store's folder and reading its files.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, is_temporary, temporary_in};
use crate::{BugId, FaultPlan, REPORT_FORMAT, Report, Status, StoreError, content_hash};

/// The most variants that can be claimed for one bug.
pub const VARIANTS_MAX: usize = 8;

const VARIANT_PREFIX: &str = "variant-";
const ORIGINAL_PREFIX: &str = "original-";

/// The bugs of one target, in `<root>/<target>/`.
///
/// Any number of processes and threads may use one store at once.
#[derive(Clone, Debug)]
pub struct BugStore {
    target: String,
    dir: PathBuf,
    pub(crate) disk: Disk,
}

impl BugStore {
    /// Opens a store for writing and creates its folders.
    ///
    /// Removes the temporary files of writers that were killed. Those of running writers stay.
    ///
    /// # Errors
    /// The store cannot create its folder or write in it ([`StoreError::is_not_writable`]), or
    /// `target` is not a file name.
    pub fn open(root: &Path, target: &str) -> Result<BugStore, StoreError> {
        BugStore::open_with_faults(root, target, FaultPlan::none())
    }

    /// [`BugStore::open`] on a disk that fails as planned: for tests only.
    ///
    /// # Errors
    /// The errors of [`BugStore::open`], and the planned ones.
    #[doc(hidden)]
    pub fn open_with_faults(
        root: &Path,
        target: &str,
        faults: FaultPlan,
    ) -> Result<BugStore, StoreError> {
        let store = BugStore::at(root, target, faults)?;
        store.make_writable().map_err(|error| store.as_not_writable(error))?;
        store.sweep();
        Ok(store)
    }

    /// Opens an existing store for reading. Changes nothing.
    ///
    /// # Errors
    /// There is no store for this target ([`StoreError::is_missing`]), `root` is a file, or
    /// `target` is not a file name.
    pub fn open_existing(root: &Path, target: &str) -> Result<BugStore, StoreError> {
        let store = BugStore::at(root, target, FaultPlan::none())?;
        check_root(root)?;
        if !store.dir.is_dir() {
            return Err(StoreError::missing(
                &store.dir,
                "holds no bugs; run the target first or name another store",
            ));
        }
        Ok(store)
    }

    /// The targets that have a folder in the store at `root`, sorted. Empty if there is no store.
    ///
    /// # Errors
    /// The folder cannot be read, or `root` is a file.
    pub fn targets(root: &Path) -> Result<Vec<String>, StoreError> {
        check_root(root)?;
        let is_target = |name: &str| check_target(root, name).is_ok() && root.join(name).is_dir();
        Ok(names_in(root)?.into_iter().filter(|name| is_target(name)).collect())
    }

    /// The store's folder: `<root>/<target>`.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The name of the target.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The ids of all readable bugs, sorted. [`BugStore::damaged`] lists the others.
    ///
    /// # Errors
    /// The store's folder cannot be read.
    pub fn ids(&self) -> Result<Vec<BugId>, StoreError> {
        Ok(self.whole()?.into_iter().map(|(id, _)| id).collect())
    }

    /// The reports of all readable bugs, sorted by id.
    ///
    /// # Errors
    /// The store's folder cannot be read.
    pub fn reports(&self) -> Result<Vec<Report>, StoreError> {
        Ok(self.whole()?.into_iter().map(|(_, report)| report).collect())
    }

    /// The bugs that wait to be minimized, sorted.
    ///
    /// # Errors
    /// The store's folder cannot be read.
    pub fn pending(&self) -> Result<Vec<BugId>, StoreError> {
        let pending =
            self.whole()?.into_iter().filter(|(_, report)| report.status == Status::Pending);
        Ok(pending.map(|(id, _)| id).collect())
    }

    /// The variants that wait to be minimized, as pairs of bug and variant key, sorted.
    ///
    /// # Errors
    /// The store's folder cannot be read.
    pub fn pending_variants(&self) -> Result<Vec<(BugId, String)>, StoreError> {
        let mut pending = Vec::new();
        for id in self.ids()? {
            for key in self.variants(id)? {
                if self
                    .variant(id, &key)
                    .read_report()
                    .is_ok_and(|report| report.status == Status::Pending)
                {
                    pending.push((id, key));
                }
            }
        }
        Ok(pending)
    }

    /// The keys of a bug's readable variants, sorted. Empty if the store does not hold the bug.
    ///
    /// # Errors
    /// The bug's folder cannot be read.
    pub fn variants(&self, id: BugId) -> Result<Vec<String>, StoreError> {
        let mut keys = self.variant_keys(id)?;
        keys.retain(|key| self.variant(id, key).examine().is_ok());
        Ok(keys)
    }

    /// The paths of a bug's files. The bug need not exist.
    pub fn bug(&self, id: BugId) -> Bug {
        Bug { id, dir: self.dir.join(id.to_string()) }
    }

    /// The paths of a variant's files. The variant need not exist.
    pub fn variant(&self, id: BugId, variant_key: &str) -> Bug {
        Bug { id, dir: self.bug(id).dir.join(format!("{VARIANT_PREFIX}{variant_key}")) }
    }

    /// The keys of all folders with the name of a variant, readable or not.
    pub(crate) fn variant_keys(&self, id: BugId) -> Result<Vec<String>, StoreError> {
        let names = names_in(&self.bug(id).dir)?;
        Ok(names
            .iter()
            .filter_map(|name| name.strip_prefix(VARIANT_PREFIX))
            .map(str::to_owned)
            .collect())
    }

    fn whole(&self) -> Result<Vec<(BugId, Report)>, StoreError> {
        let ids = names_in(&self.dir)?.into_iter().filter_map(|name| name.parse().ok());
        Ok(ids.filter_map(|id| Some((id, self.bug(id).examine().ok()?))).collect())
    }

    fn at(root: &Path, target: &str, faults: FaultPlan) -> Result<BugStore, StoreError> {
        check_target(root, target)?;
        Ok(BugStore { target: target.to_owned(), dir: root.join(target), disk: Disk::new(faults) })
    }

    fn make_writable(&self) -> Result<(), StoreError> {
        self.disk.create_folders(&self.dir)?;
        // Only an attempt gives the answer. For root, on read-only mounts and on network file
        // systems, permissions do not show whether a write succeeds.
        let probe = temporary_in(&self.dir);
        self.disk.create_folder(&probe)?;
        self.disk.discard(&probe);
        Ok(())
    }

    fn as_not_writable(&self, error: StoreError) -> StoreError {
        match error.of_the_system() {
            Some(source) => {
                let source = source
                    .raw_os_error()
                    .map_or_else(|| source.kind().into(), io::Error::from_raw_os_error);
                StoreError::not_writable(&self.dir, source)
            }
            None => error,
        }
    }

    fn sweep(&self) {
        self.disk.sweep(&self.dir);
        let folders = names_in(&self.dir).unwrap_or_default();
        for id in folders.iter().filter_map(|name| name.parse::<BugId>().ok()) {
            let bug = self.bug(id);
            self.disk.sweep(&bug.dir);
            self.disk.sweep(&bug.hits());
            self.disk.sweep(&bug.contents());
            for key in self.variant_keys(id).unwrap_or_default() {
                self.disk.sweep(&self.variant(id, &key).dir);
            }
        }
    }
}

/// The files of one bug or of one of its variants. The methods that return a path do not touch the
/// disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    id: BugId,
    dir: PathBuf,
}

impl Bug {
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
        first.ok_or_else(|| StoreError::damaged_bug(&self.dir, "holds no original"))
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
        // Checks the format first: a change in a newer format must not be reported as damage.
        if let Ok(Format { format }) = serde_json::from_slice(&json)
            && format > REPORT_FORMAT
        {
            return Err(StoreError::newer(&path, format));
        }
        let report: Report = serde_json::from_slice(&json)
            .map_err(|error| StoreError::damaged_bug(&path, format!("is no report ({error})")))?;
        if report.bug_id != self.id {
            return Err(StoreError::damaged_bug(
                &path,
                format!("is about the bug {}", report.bug_id),
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
    /// The system removes the lock when the process ends. On file systems without locks this has no
    /// effect: if two writers finish one bug in the same instant, the later result stays, even if
    /// it is the larger one.
    pub(crate) fn lock(&self) -> Result<File, StoreError> {
        let folder = File::open(&self.dir).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                StoreError::missing(&self.dir, "is not there; claim the bug first")
            }
            _ => StoreError::io("open", &self.dir, error),
        })?;
        let _ = folder.lock();
        Ok(folder)
    }
}

#[derive(serde::Deserialize)]
struct Format {
    format: u32,
}

/// The names in a folder, sorted. Names that are not UTF-8 are left out: the store writes only
/// UTF-8 names.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, StoreError> {
    Ok(entries_in(folder)?.into_iter().filter_map(|name| name.into_string().ok()).collect())
}

/// All names in a folder except temporary ones, sorted. Empty if the folder does not exist.
pub(crate) fn entries_in(folder: &Path) -> Result<Vec<OsString>, StoreError> {
    let fail = |error| StoreError::io("read", folder, error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(fail)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(fail)?.file_name();
        if !is_temporary(&name) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn check_root(root: &Path) -> Result<(), StoreError> {
    if root.is_file() {
        return Err(StoreError::bad_name(
            root,
            "is a file, and a store is a folder; name another one",
        ));
    }
    Ok(())
}

fn check_target(root: &Path, target: &str) -> Result<(), StoreError> {
    let is_one_name = Path::new(target).file_name() == Some(OsStr::new(target));
    if !is_one_name || target.starts_with('.') || target.contains(['/', '\0']) {
        return Err(StoreError::bad_name(
            &root.join(target),
            "does not end in a target's name; use a plain file name",
        ));
    }
    Ok(())
}

//! One target's bugs: opening the folder, and reading what it holds.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, is_temporary, temporary_in};
use crate::{BugId, FaultPlan, REPORT_FORMAT, Report, Status, StoreError, content_hash};

/// How many variants of one bug are claimed at most.
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
    /// Opens a store for writing, creating its folders.
    ///
    /// Leftovers of writers that were killed are removed; those of writers at work stay.
    ///
    /// # Errors
    /// The folder cannot be created or written in ([`StoreError::is_not_writable`]), or `target` is no file name.
    pub fn open(root: &Path, target: &str) -> Result<BugStore, StoreError> {
        BugStore::open_with_faults(root, target, FaultPlan::none())
    }

    /// [`BugStore::open`] on a disk that fails as planned: for tests only.
    ///
    /// # Errors
    /// Those of [`BugStore::open`], and those planned.
    #[doc(hidden)]
    pub fn open_with_faults(root: &Path, target: &str, faults: FaultPlan) -> Result<BugStore, StoreError> {
        let store = BugStore::at(root, target, faults)?;
        store.make_writable().map_err(|error| store.as_not_writable(error))?;
        store.sweep();
        Ok(store)
    }

    /// Opens a store that is there, changing nothing: for reading.
    ///
    /// # Errors
    /// There is none ([`StoreError::is_missing`]), `root` is a file, or `target` is no file name.
    pub fn open_existing(root: &Path, target: &str) -> Result<BugStore, StoreError> {
        let store = BugStore::at(root, target, FaultPlan::none())?;
        check_root(root)?;
        if !store.dir.is_dir() {
            return Err(StoreError::missing(&store.dir, "holds no bugs; run the target first or name another store"));
        }
        Ok(store)
    }

    /// The targets that have a folder in the store at `root`, sorted. None if there is no store.
    ///
    /// # Errors
    /// The folder cannot be read, or is a file.
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

    /// All bugs that can be read, sorted. Those that cannot are in [`BugStore::damaged`].
    ///
    /// # Errors
    /// The store's folder cannot be read.
    pub fn ids(&self) -> Result<Vec<BugId>, StoreError> {
        Ok(self.whole()?.into_iter().map(|(id, _)| id).collect())
    }

    /// The reports of all bugs that can be read, sorted by id.
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
        let pending = self.whole()?.into_iter().filter(|(_, report)| report.status == Status::Pending);
        Ok(pending.map(|(id, _)| id).collect())
    }

    /// The variants that wait to be minimized, as bug and variant key, sorted.
    ///
    /// # Errors
    /// The store's folder cannot be read.
    pub fn pending_variants(&self) -> Result<Vec<(BugId, String)>, StoreError> {
        let mut pending = Vec::new();
        for id in self.ids()? {
            for key in self.variants(id)? {
                if self.variant(id, &key).read_report().is_ok_and(|report| report.status == Status::Pending) {
                    pending.push((id, key));
                }
            }
        }
        Ok(pending)
    }

    /// The keys of a bug's variants that can be read, sorted; none for a bug that is not there.
    ///
    /// # Errors
    /// The bug's folder cannot be read.
    pub fn variants(&self, id: BugId) -> Result<Vec<String>, StoreError> {
        let mut keys = self.variant_keys(id)?;
        keys.retain(|key| self.variant(id, key).examine().is_ok());
        Ok(keys)
    }

    /// The files of a bug, whether or not it is there.
    pub fn bug(&self, id: BugId) -> Bug {
        Bug { id, dir: self.dir.join(id.to_string()) }
    }

    /// The files of a variant, whether or not it is there.
    pub fn variant(&self, id: BugId, variant_key: &str) -> Bug {
        Bug { id, dir: self.bug(id).dir.join(format!("{VARIANT_PREFIX}{variant_key}")) }
    }

    /// The keys of all folders that are named as variants.
    pub(crate) fn variant_keys(&self, id: BugId) -> Result<Vec<String>, StoreError> {
        let names = names_in(&self.bug(id).dir)?;
        Ok(names.iter().filter_map(|name| name.strip_prefix(VARIANT_PREFIX)).map(str::to_owned).collect())
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
        // Only an attempt tells: permissions say little to root, on read-only mounts and on network file systems.
        let probe = temporary_in(&self.dir);
        self.disk.create_folder(&probe)?;
        self.disk.discard(&probe);
        Ok(())
    }

    fn as_not_writable(&self, error: StoreError) -> StoreError {
        match error.of_the_system() {
            Some(source) => {
                let source = source.raw_os_error().map_or_else(|| source.kind().into(), io::Error::from_raw_os_error);
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
            self.disk.sweep(&bug.sightings());
            self.disk.sweep(&bug.contents());
            for key in self.variant_keys(id).unwrap_or_default() {
                self.disk.sweep(&self.variant(id, &key).dir);
            }
        }
    }
}

/// The files of one bug or of one of its variants. Asking for a path touches no disk.
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

    /// The file that replays the bug, minimized or not.
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

    /// `full.txt`: what `report.txt` says, with nothing cut. There only if something is cut in that.
    pub fn whole_text(&self) -> PathBuf {
        self.dir.join(Self::WHOLE)
    }

    /// `repro.rs`, which is there only if one was made for the present input.
    pub fn repro(&self) -> PathBuf {
        self.dir.join("repro.rs")
    }

    /// A sighting as it was first met. After a merge there may be several; this is the first by name.
    ///
    /// # Errors
    /// There is none, or the folder cannot be read.
    pub fn original(&self) -> Result<PathBuf, StoreError> {
        let first = self.originals()?.into_iter().next();
        first.ok_or_else(|| StoreError::damaged_bug(&self.dir, "holds no original"))
    }

    /// All sightings kept byte for byte, sorted by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn originals(&self) -> Result<Vec<PathBuf>, StoreError> {
        let names = names_in(&self.dir)?;
        Ok(names.iter().filter(|name| name.starts_with(ORIGINAL_PREFIX)).map(|name| self.dir.join(name)).collect())
    }

    /// Whether these bytes are kept as a sighting.
    pub fn has_original(&self, bytes: &[u8]) -> bool {
        self.dir.join(Bug::original_named(&content_hash(bytes))).is_file()
    }

    /// Reads `report.json`.
    ///
    /// # Errors
    /// It is missing, broken, about another bug, or written by a newer dwindle ([`StoreError::is_newer`]).
    pub fn read_report(&self) -> Result<Report, StoreError> {
        let path = self.report();
        let json = match fs::read(&path) {
            Ok(json) => json,
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.dir.is_dir() => {
                return Err(StoreError::damaged_bug(&path, "is missing"));
            }
            Err(error) => return Err(StoreError::io("read", &path, error)),
        };
        // The format first: what a newer one changed must not be reported as damage.
        if let Ok(Format { format }) = serde_json::from_slice(&json)
            && format > REPORT_FORMAT
        {
            return Err(StoreError::newer(&path, format));
        }
        let report: Report = serde_json::from_slice(&json).map_err(|error| StoreError::damaged_bug(&path, format!("is no report ({error})")))?;
        if report.bug_id != self.id {
            return Err(StoreError::damaged_bug(&path, format!("is about the bug {}", report.bug_id)));
        }
        Ok(report)
    }

    pub(crate) fn sightings(&self) -> PathBuf {
        self.dir.join("sightings")
    }

    pub(crate) fn contents(&self) -> PathBuf {
        self.dir.join("contents")
    }

    /// Where the original with this name's hash belongs.
    pub(crate) fn original_named(hash: &str) -> String {
        format!("{ORIGINAL_PREFIX}{hash}")
    }

    /// The report of a bug that can be replayed; else what is wrong with it.
    pub(crate) fn examine(&self) -> Result<Report, StoreError> {
        let report = self.read_report()?;
        match fs::metadata(self.input()) {
            Ok(metadata) if metadata.is_file() => Ok(report),
            Ok(_) => Err(StoreError::damaged_bug(&self.input(), "is not a file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::damaged_bug(&self.input(), "is missing")),
            Err(error) => Err(StoreError::io("read", &self.input(), error)),
        }
    }

    /// Keeps others from changing this bug for as long as the result lives; the system ends it with the process.
    ///
    /// Without effect on file systems that cannot lock: there, of two writers that finish one bug in the same
    /// instant, the last one stays, be it the larger.
    /// Takes the bug for this process to minimize: none if another process has it. It is free again when the file is dropped, however that comes about.
    ///
    /// Two that minimize one bug would only do the work twice. Where files cannot be locked nobody is kept away.
    ///
    /// # Errors
    /// The bug is not there, or its original cannot be opened.
    pub fn reserve(&self) -> Result<Option<File>, StoreError> {
        let original = self.original()?;
        let file = File::open(&original).map_err(|error| StoreError::io("open", &original, error))?;
        Ok(if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) { None } else { Some(file) })
    }

    pub(crate) fn lock(&self) -> Result<File, StoreError> {
        let folder = File::open(&self.dir).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => StoreError::missing(&self.dir, "is not there; claim the bug first"),
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

/// Names in a folder, sorted, without those that are no UTF-8: none of ours.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, StoreError> {
    Ok(entries_in(folder)?.into_iter().filter_map(|name| name.into_string().ok()).collect())
}

/// All names in a folder but temporary ones, sorted. A folder that is not there has none.
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
        return Err(StoreError::bad_name(root, "is a file, and a store is a folder; name another one"));
    }
    Ok(())
}

fn check_target(root: &Path, target: &str) -> Result<(), StoreError> {
    let is_one_name = Path::new(target).file_name() == Some(OsStr::new(target));
    if !is_one_name || target.starts_with('.') || target.contains(['/', '\0']) {
        return Err(StoreError::bad_name(&root.join(target), "does not end in a target's name; use a plain file name"));
    }
    Ok(())
}

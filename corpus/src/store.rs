//! The bugs of one target: opening the store's folder, and what it holds.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, temporary_in};
use crate::names::names_in;
use crate::{Bug, BugId, FaultPlan, Report, Status, StoreError};

/// The most variants by call path that can be claimed for one bug.
pub const VARIANTS_MAX: usize = 8;

/// The most variants by cause that can be claimed for one bug. One cause may have several forms.
pub const CAUSES_MAX: usize = 64;

/// What the key of a variant by cause begins with. The key of a variant by call path begins with a
/// hex digit of a hash.
const CAUSE_PREFIX: &str = "cause-";

/// The key of a variant by cause, from the first input that showed it.
pub fn cause_key(original: &[u8]) -> String {
    format!("{CAUSE_PREFIX}{}", &crate::content_hash(original)[..12])
}

/// Whether this is the key of a variant by cause.
pub fn is_cause_key(variant_key: &str) -> bool {
    variant_key.starts_with(CAUSE_PREFIX)
}

const VARIANT_PREFIX: &str = "variant-";

/// The bugs of one target, in `<root>/<target>/`. [`Bug`] names the files of each bug.
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
        Bug::at(id, self.dir.join(id.to_string()))
    }

    /// The paths of a variant's files. The variant need not exist.
    pub fn variant(&self, id: BugId, variant_key: &str) -> Bug {
        Bug::at(id, self.bug(id).dir().join(format!("{VARIANT_PREFIX}{variant_key}")))
    }

    /// The keys of all folders with the name of a variant, readable or not.
    pub(crate) fn variant_keys(&self, id: BugId) -> Result<Vec<String>, StoreError> {
        let names = names_in(self.bug(id).dir())?;
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
            self.disk.sweep(bug.dir());
            self.disk.sweep(&bug.hits());
            self.disk.sweep(&bug.contents());
            for key in self.variant_keys(id).unwrap_or_default() {
                self.disk.sweep(self.variant(id, &key).dir());
            }
        }
    }
}

fn check_root(root: &Path) -> Result<(), StoreError> {
    if root.is_file() {
        return Err(StoreError::bad_name(
            root,
            "is a file, but a store is a folder; name a folder",
        ));
    }
    Ok(())
}

fn check_target(root: &Path, target: &str) -> Result<(), StoreError> {
    let is_one_name = Path::new(target).file_name() == Some(OsStr::new(target));
    if !is_one_name || target.starts_with('.') || target.contains(['/', '\0']) {
        return Err(StoreError::bad_name(
            &root.join(target),
            "does not end with a target's name; use a plain file name",
        ));
    }
    Ok(())
}

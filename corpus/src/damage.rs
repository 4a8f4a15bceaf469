//! The files and folders in the store that cannot be read.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::contents::{read_record, records};
use crate::hits::{counters, read_counter};
use crate::names::entries_in;
use crate::{Bug, BugId, BugStore, StoreError, content_hash};

/// A damaged file or folder of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    path: PathBuf,
    reason: String,
}

impl Damage {
    /// The file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it and what to do, without the path.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(crate) fn new(path: &Path, reason: impl Into<String>) -> Damage {
        Damage { path: path.to_owned(), reason: reason.into() }
    }
}

impl From<StoreError> for Damage {
    fn from(error: StoreError) -> Damage {
        Damage::new(error.path(), error.reason())
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.reason)
    }
}

impl BugStore {
    /// Lists everything in the store that cannot be read, sorted by path. Reads every original and
    /// changes nothing.
    ///
    /// Names that begin with a dot are skipped. [`BugStore::ids`] still includes a bug if the
    /// damage is only in an original, a counter, a record of contents or a variant.
    pub fn damaged(&self) -> Vec<Damage> {
        let mut damaged = Vec::new();
        let names = keep(entries_in(self.dir()), &mut damaged);
        for name in names.iter().filter(|name| !name.as_encoded_bytes().starts_with(b".")) {
            match name.to_str().unwrap_or_default().parse() {
                Ok(id) => self.examine_bug(id, &mut damaged),
                Err(error) => {
                    damaged.push(Damage::new(
                        &self.dir().join(name),
                        format!("is no bug: {error}; move it away"),
                    ));
                }
            }
        }
        damaged.sort_by(|a, b| a.path.cmp(&b.path));
        damaged
    }

    fn examine_bug(&self, id: BugId, damaged: &mut Vec<Damage>) {
        let bug = self.bug(id);
        examine_folder(&bug, damaged);
        if !bug.dir().is_dir() {
            return;
        }
        for key in keep(self.variant_keys(id), damaged) {
            match self.checked_variant(id, &key) {
                Ok(variant) => examine_folder(&variant, damaged),
                Err(error) => damaged.push(error.into()),
            }
        }
        for counter in keep(counters(&bug), damaged) {
            if let Err(error) = read_counter(&counter) {
                damaged.push(error.into());
            }
        }
        for record in keep(records(&bug), damaged) {
            if let Err(error) = read_record(&record) {
                damaged.push(error.into());
            }
        }
    }
}

fn examine_folder(bug: &Bug, damaged: &mut Vec<Damage>) {
    if !bug.dir().is_dir() {
        damaged
            .push(Damage::new(bug.dir(), "is a file where a bug's folder belongs; move it away"));
        return;
    }
    if let Err(error) = bug.examine() {
        damaged.push(error.into());
    }
    let originals = keep(bug.originals(), damaged);
    if originals.is_empty() {
        damaged.push(Damage::new(
            bug.dir(),
            "holds no original; restore it from a copy of the store if there is one",
        ));
    }
    for original in originals {
        if let Err(error) = check_original(&original) {
            damaged.push(error.into());
        }
    }
}

/// Returns the bytes of an original, after checking them against the hash in its name.
pub(crate) fn check_original(path: &Path) -> Result<Vec<u8>, StoreError> {
    let bytes = fs::read(path).map_err(|error| StoreError::io("read", path, error))?;
    let expected = Bug::original_named(&content_hash(&bytes));
    if path.file_name() != Some(expected.as_ref()) {
        return Err(StoreError::damaged_bug(
            path,
            format!("does not match its name; its content is that of {expected}"),
        ));
    }
    Ok(bytes)
}

fn keep<T: Default>(read: Result<T, StoreError>, damaged: &mut Vec<Damage>) -> T {
    read.unwrap_or_else(|error| {
        damaged.push(error.into());
        T::default()
    })
}

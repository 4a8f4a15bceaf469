//! Counting sightings: one file per writer, so that nobody waits and copies of a store add up rightly.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::contents;
use crate::store::names_in;
use crate::{Bug, BugId, BugStore, StoreError, Writer};

impl BugStore {
    /// Says that `writer` has seen the bug `sightings` times in all. A count never goes down.
    ///
    /// Variants are counted with their bug. A changed count is synced to the disk, which takes milliseconds: call it now
    /// and then, not on every sighting.
    ///
    /// # Errors
    /// The bug is not there, or the file cannot be written.
    pub fn count(&self, id: BugId, writer: &Writer, sightings: u64) -> Result<(), StoreError> {
        self.raise(&self.bug(id), &writer.to_string(), sightings)
    }

    /// How often the bug was seen: the sum of what all writers counted, and once each content that any of them recorded. What cannot be read counts as
    /// zero and is in [`BugStore::damaged`].
    ///
    /// # Errors
    /// The bug is not there, or its folder cannot be read.
    pub fn sightings(&self, id: BugId) -> Result<u64, StoreError> {
        let bug = self.bug(id);
        if !bug.dir().is_dir() {
            return Err(StoreError::missing(bug.dir(), "is not there; claim the bug first"));
        }
        let counts = counters(&bug)?.into_iter().filter_map(|path| read_counter(&path).ok());
        Ok(counts.fold(contents::union(&bug)?.len() as u64, u64::saturating_add))
    }

    pub(crate) fn raise(&self, bug: &Bug, writer: &str, sightings: u64) -> Result<(), StoreError> {
        let path = bug.sightings().join(writer);
        let _lock = bug.lock()?;
        // A counter that cannot be read is written anew: it was this writer's own.
        if read_counter(&path).is_ok_and(|stored| stored >= sightings) {
            return Ok(());
        }
        if !bug.sightings().is_dir() {
            self.disk.create_folder(&bug.sightings())?;
            self.disk.sync_folder(bug.dir())?;
        }
        self.disk.replace(&path, format!("{sightings}\n").as_bytes())
    }
}

const NO_COUNT: &str = "is no count; remove it, its writer's sightings are lost";

/// The counter files of a bug, sorted. A bug nobody counted has none.
pub(crate) fn counters(bug: &Bug) -> Result<Vec<PathBuf>, StoreError> {
    let folder = bug.sightings();
    Ok(names_in(&folder)?.into_iter().map(|name| folder.join(name)).collect())
}

pub(crate) fn read_counter(path: &Path) -> Result<u64, StoreError> {
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => StoreError::corrupt(path, NO_COUNT),
        _ => StoreError::io("read", path, error),
    })?;
    // Without its line end it may be the first half of a larger number; `parse` alone would take a sign.
    let digits = text.strip_suffix('\n').filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| StoreError::corrupt(path, NO_COUNT))
}

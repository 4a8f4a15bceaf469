//! Counts the hits of bugs. Each writer has one file, so that no writer waits and merged copies of
//! a store give the right sum.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::contents;
use crate::names::names_in;
use crate::{Bug, BugId, BugStore, StoreError, Writer};

impl BugStore {
    /// Records that `writer` has seen the bug `hits` times in total. A smaller number than
    /// before changes nothing.
    ///
    /// Hits of a variant count for its bug. Syncing a changed count to the disk takes milliseconds,
    /// so call this from time to time, not on every hit.
    ///
    /// # Errors
    /// The bug does not exist, or the file cannot be written.
    pub fn count(&self, id: BugId, writer: &Writer, hits: u64) -> Result<(), StoreError> {
        self.raise(&self.bug(id), &writer.to_string(), hits)
    }

    /// The number of hits of the bug.
    ///
    /// It is the sum of the counts of all writers, plus one for each content that any writer
    /// recorded. A file that cannot be read counts as zero and is in [`BugStore::damaged`].
    ///
    /// # Errors
    /// The bug does not exist, or its folder cannot be read.
    pub fn hits(&self, id: BugId) -> Result<u64, StoreError> {
        let bug = self.bug(id);
        if !bug.dir().is_dir() {
            return Err(StoreError::missing(bug.dir(), "is not there; claim the bug first"));
        }
        let counts = counters(&bug)?.into_iter().filter_map(|path| read_counter(&path).ok());
        Ok(counts.fold(contents::union(&bug)?.len() as u64, u64::saturating_add))
    }

    pub(crate) fn raise(&self, bug: &Bug, writer: &str, hits: u64) -> Result<(), StoreError> {
        let path = bug.hits().join(writer);
        let _lock = bug.lock()?;
        // Replaces a counter that cannot be read: only this writer writes to it.
        if read_counter(&path).is_ok_and(|stored| stored >= hits) {
            return Ok(());
        }
        if !bug.hits().is_dir() {
            self.disk.create_folder(&bug.hits())?;
            self.disk.sync_folder(bug.dir())?;
        }
        self.disk.replace(&path, format!("{hits}\n").as_bytes())
    }
}

const NO_COUNT: &str = "is no count; remove it, its writer's hits are lost";

/// The counter files of a bug, sorted. Empty if no writer has counted the bug.
pub(crate) fn counters(bug: &Bug) -> Result<Vec<PathBuf>, StoreError> {
    let folder = bug.hits();
    Ok(names_in(&folder)?.into_iter().map(|name| folder.join(name)).collect())
}

pub(crate) fn read_counter(path: &Path) -> Result<u64, StoreError> {
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => StoreError::corrupt(path, NO_COUNT),
        _ => StoreError::io("read", path, error),
    })?;
    // Requires the line end, because a text without it may be the first half of a larger number.
    // Checks the digits, because `parse` alone would accept a sign.
    let digits =
        text.strip_suffix('\n').filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| StoreError::corrupt(path, NO_COUNT))
}

//! Records the contents that failed as a bug. They are recorded by name, so that each content
//! counts once, however often and by whichever process it runs.
//!
//! ```text
//! contents 1 <16 hex digits: the hash of what follows>
//! <content> <choices or -> <variant or ->          one line for each content, sorted
//! ```
//!
//! Each writer has one file, as with counters, so that no writer waits. Reading all files unites
//! the copies of a store. [`BugStore::hits`] includes the number of contents.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::names::names_in;
use crate::{Bug, BugId, BugStore, ContentId, StoreError, Writer, content_hash};

/// A content that failed as some bug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content {
    /// The name of the content.
    pub id: ContentId,
    /// The number of choices that the target made from the content. `None` if it is unknown or
    /// unreliable.
    pub choices: Option<u64>,
    /// The key of the variant that the content failed as, if it is known.
    pub variant: Option<String>,
}

/// What is known about contents, by name.
pub(crate) type Contents = BTreeMap<ContentId, Content>;

impl BugStore {
    /// Records that `writer` saw these contents fail as the bug.
    ///
    /// Earlier records of this writer stay. A content that any writer has already recorded is
    /// skipped, unless the new entry sorts before the stored one.
    ///
    /// Syncing to the disk takes milliseconds, so call this from time to time with many contents.
    /// Contents that are not yet recorded are lost if the process is killed.
    ///
    /// # Errors
    /// The bug does not exist, a variant key is not valid ([`BugStore::claim_variant`]), or the
    /// file cannot be written.
    pub fn record(
        &self,
        id: BugId,
        writer: &Writer,
        contents: &[Content],
    ) -> Result<(), StoreError> {
        for key in contents.iter().filter_map(|content| content.variant.as_deref()) {
            self.checked_variant(id, key)?;
        }
        let bug = self.bug(id);
        let stored = union(&bug)?;
        let is_news =
            |content: &&Content| stored.get(&content.id).is_none_or(|stored| *content < stored);
        self.record_as(&bug, &writer.to_string(), contents.iter().filter(is_news).cloned())
    }

    /// All contents that any writer saw fail as the bug, each once, sorted by name. Records that
    /// cannot be read are left out and are in [`BugStore::damaged`].
    ///
    /// # Errors
    /// The bug's folder cannot be read.
    pub fn contents(&self, id: BugId) -> Result<Vec<Content>, StoreError> {
        Ok(union(&self.bug(id))?.into_values().collect())
    }

    pub(crate) fn record_as(
        &self,
        bug: &Bug,
        writer: &str,
        contents: impl IntoIterator<Item = Content>,
    ) -> Result<(), StoreError> {
        let path = bug.contents().join(writer);
        let _lock = bug.lock()?;
        // Replaces a record that cannot be read: only this writer writes to it.
        let stored = read_record(&path).unwrap_or_default();
        let mut recorded = stored.clone();
        unite(&mut recorded, contents);
        if recorded == stored {
            return Ok(());
        }
        if !bug.contents().is_dir() {
            self.disk.create_folder(&bug.contents())?;
            self.disk.sync_folder(bug.dir())?;
        }
        self.disk.replace(&path, written(&recorded).as_bytes())
    }
}

/// The record files of a bug, sorted. Empty if no writer has recorded a content of this bug.
pub(crate) fn records(bug: &Bug) -> Result<Vec<PathBuf>, StoreError> {
    let folder = bug.contents();
    Ok(names_in(&folder)?.into_iter().map(|name| folder.join(name)).collect())
}

/// The contents in all records of a bug together.
pub(crate) fn union(bug: &Bug) -> Result<Contents, StoreError> {
    let mut contents = Contents::new();
    for record in records(bug)? {
        unite(&mut contents, read_record(&record).unwrap_or_default().into_values());
    }
    Ok(contents)
}

/// Adds `more` to `contents`. Of two different entries for one content the smaller one stays, so
/// that the order of arrival does not matter.
fn unite(contents: &mut Contents, more: impl IntoIterator<Item = Content>) {
    for content in more {
        let stored = contents.entry(content.id).or_insert_with(|| content.clone());
        if content < *stored {
            *stored = content;
        }
    }
}

const FIRST_WORDS: &str = "contents 1 ";

fn written(contents: &Contents) -> String {
    let mut lines = String::new();
    for Content { id, choices, variant } in contents.values() {
        let choices = choices.map_or_else(|| "-".to_owned(), |choices| choices.to_string());
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{id} {choices} {}", variant.as_deref().unwrap_or("-"));
    }
    format!("{FIRST_WORDS}{}\n{lines}", content_hash(lines.as_bytes()))
}

pub(crate) fn read_record(path: &Path) -> Result<Contents, StoreError> {
    let damaged = || {
        StoreError::corrupt(
            path,
            "is no record of contents; remove it, and triage the files again to have them counted",
        )
    };
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => damaged(),
        _ => StoreError::io("read", path, error),
    })?;
    parsed(&text).ok_or_else(damaged)
}

fn parsed(text: &str) -> Option<Contents> {
    let (hash, lines) = text.strip_prefix(FIRST_WORDS)?.split_once('\n')?;
    if hash != content_hash(lines.as_bytes()) {
        return None;
    }
    let said = |word: &str| (word != "-").then(|| word.to_owned());
    let mut contents = Contents::new();
    for line in lines.lines() {
        let mut words = line.split(' ');
        let id = ContentId::from_name(words.next()?)?;
        let choices = said(words.next()?).map(|choices| choices.parse()).transpose().ok()?;
        contents.insert(id, Content { id, choices, variant: said(words.next()?) });
    }
    Some(contents)
}

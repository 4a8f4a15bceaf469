//! Contents that failed as a bug: recorded by name, so that each counts once, whoever runs it and however often.
//!
//! ```text
//! contents 1 <16 hex digits: the hash of what follows>
//! <content> <choices or -> <variant or ->          one line for each content, sorted
//! ```
//!
//! One file per writer, as with counters: nobody waits, and copies of a store are united by reading all of them. Who needs the number of contents looks at
//! [`BugStore::sightings`].

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::names_in;
use crate::{Bug, BugId, BugStore, ContentId, StoreError, Writer, content_hash};

/// A content that failed as some bug.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content {
    /// Its name.
    pub id: ContentId,
    /// How many choices the target made of it; `None` where that is not known or not to be relied on.
    pub choices: Option<u64>,
    /// The key of the way in which it failed, where that is known.
    pub variant: Option<String>,
}

/// What is known of contents, by name.
pub(crate) type Contents = BTreeMap<ContentId, Content>;

impl BugStore {
    /// Says that `writer` saw these contents fail as the bug. What it said before stays; what others have said already is not said again.
    ///
    /// Synced to the disk, which takes milliseconds: call it now and then with many contents. What was not recorded when the process was killed is as if it
    /// had never been seen.
    ///
    /// # Errors
    /// The bug is not there, a variant is none ([`BugStore::claim_variant`]), or the file cannot be written.
    pub fn record(&self, id: BugId, writer: &Writer, contents: &[Content]) -> Result<(), StoreError> {
        for key in contents.iter().filter_map(|content| content.variant.as_deref()) {
            self.checked_variant(id, key)?;
        }
        let bug = self.bug(id);
        let stored = union(&bug)?;
        let is_news = |content: &&Content| stored.get(&content.id).is_none_or(|stored| *content < stored);
        self.record_as(&bug, &writer.to_string(), contents.iter().filter(is_news).cloned())
    }

    /// All contents that any writer saw fail as the bug, sorted by name, each once. Records that cannot be read are left out and are in
    /// [`BugStore::damaged`].
    ///
    /// # Errors
    /// The bug's folder cannot be read.
    pub fn contents(&self, id: BugId) -> Result<Vec<Content>, StoreError> {
        Ok(union(&self.bug(id))?.into_values().collect())
    }

    pub(crate) fn record_as(&self, bug: &Bug, writer: &str, contents: impl IntoIterator<Item = Content>) -> Result<(), StoreError> {
        let path = bug.contents().join(writer);
        let _lock = bug.lock()?;
        // A record that cannot be read is written anew: it was this writer's own.
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

/// The records of a bug, sorted. A bug none of whose contents is known has none.
pub(crate) fn records(bug: &Bug) -> Result<Vec<PathBuf>, StoreError> {
    let folder = bug.contents();
    Ok(names_in(&folder)?.into_iter().map(|name| folder.join(name)).collect())
}

/// What all records of a bug hold together.
pub(crate) fn union(bug: &Bug) -> Result<Contents, StoreError> {
    let mut contents = Contents::new();
    for record in records(bug)? {
        unite(&mut contents, read_record(&record).unwrap_or_default().into_values());
    }
    Ok(contents)
}

/// Of two that say different things of one content the first in order stays, so that the order in which they are met does not matter.
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
    let damaged = || StoreError::corrupt(path, "is no record of contents; remove it, and triage the files again to have them counted");
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

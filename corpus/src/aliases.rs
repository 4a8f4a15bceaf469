//! Other ids of a bug. The rules that make ids have versions. A bug keeps the folder under which it
//! was claimed; its id by newer rules becomes an alias.

use crate::{BugId, BugStore, Report, StoreError};

impl BugStore {
    /// The id under which the store holds a failure, or `id` if it is new. `old_id` is the id of
    /// the same failure by older rules.
    ///
    /// # Errors
    /// The store's folder cannot be read.
    pub fn known_as(&self, id: BugId, old_id: Option<BugId>) -> Result<BugId, StoreError> {
        // Looks at folders first, then at aliases. Older rules may have made several bugs of what
        // is one bug now, and each of these keeps its own hits.
        if let Some(known) =
            [Some(id), old_id].into_iter().flatten().find(|id| self.bug(*id).dir().is_dir())
        {
            return Ok(known);
        }
        Ok(self
            .reports()?
            .into_iter()
            .find(|report| report.aliases.contains(&id))
            .map_or(id, |report| report.bug_id))
    }

    /// Records another id of a stored bug. An alias that is already known changes nothing.
    ///
    /// # Errors
    /// The bug does not exist or is damaged, or a file cannot be written.
    pub fn add_alias(&self, id: BugId, alias: BugId) -> Result<(), StoreError> {
        let bug = self.bug(id);
        let _lock = bug.lock()?;
        let stored = bug.read_report()?;
        if id == alias || stored.aliases.contains(&alias) {
            return Ok(());
        }
        self.rewrite(&bug, &Report { aliases: united(&stored.aliases, &[alias]), ..stored })
    }
}

/// Unites both lists: sorted, each id once.
pub(crate) fn united(aliases: &[BugId], more: &[BugId]) -> Vec<BugId> {
    let mut aliases = [aliases, more].concat();
    aliases.sort_unstable();
    aliases.dedup();
    aliases
}

//! Other ids of a bug. The rules that make ids have versions: a bug keeps the folder it was claimed as, and the id by newer rules becomes an alias of it.

use crate::{BugId, BugStore, Report, StoreError};

impl BugStore {
    /// The id under which a failure is stored, if it is; else `id`. `old_id` is what older rules make of the same failure.
    ///
    /// # Errors
    /// The store's folder cannot be read.
    pub fn known_as(&self, id: BugId, old_id: Option<BugId>) -> Result<BugId, StoreError> {
        // By older rules several bugs may have been what is one bug now: each keeps its own hits.
        if let Some(known) = [Some(id), old_id].into_iter().flatten().find(|id| self.bug(*id).dir().is_dir()) {
            return Ok(known);
        }
        Ok(self.reports()?.into_iter().find(|report| report.aliases.contains(&id)).map_or(id, |report| report.bug_id))
    }

    /// Says that a stored bug has another id. One that is known already changes nothing.
    ///
    /// # Errors
    /// The bug is not there or damaged, or a file cannot be written.
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

/// All of both, sorted, each once.
pub(crate) fn united(aliases: &[BugId], more: &[BugId]) -> Vec<BugId> {
    let mut aliases = [aliases, more].concat();
    aliases.sort_unstable();
    aliases.dedup();
    aliases
}

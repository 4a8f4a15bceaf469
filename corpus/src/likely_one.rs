//! Finds bugs that are likely one fault. Their ids differ, but they have the same minimized input,
//! or newer rules give them the same id.

use std::collections::BTreeMap;

use crate::{BugId, BugStore, ContentId, Status, StoreError, read_input};

impl BugStore {
    /// Groups the bugs among `ids` that are likely one fault.
    ///
    /// Each group has two or more bugs. They have the same minimized input, or they share a name:
    /// an alias, or the id of one that is an alias of the other. A bug is in at most one group. The
    /// groups leave out bugs that cannot be read.
    ///
    /// # Errors
    /// The store's folder cannot be read.
    pub fn likely_one_fault(&self, ids: &[BugId]) -> Result<Vec<Vec<BugId>>, StoreError> {
        let mut groups: Vec<Vec<BugId>> = ids.iter().map(|id| vec![*id]).collect();
        let mut by_input: BTreeMap<ContentId, BugId> = BTreeMap::new();
        let mut by_name: BTreeMap<BugId, BugId> = BTreeMap::new();
        for id in ids {
            let bug = self.bug(*id);
            let Ok(report) = bug.read_report() else { continue };
            let is_minimized = matches!(report.status, Status::Minimized | Status::BestEffort);
            if is_minimized && let Ok(input) = read_input(&bug.input()) {
                join(&mut groups, *by_input.entry(ContentId::of(&input)).or_insert(*id), *id);
            }
            for name in report.aliases.iter().chain([id]) {
                join(&mut groups, *by_name.entry(*name).or_insert(*id), *id);
            }
        }
        groups.retain(|group| group.len() > 1);
        Ok(groups)
    }
}

/// Joins the groups of two bugs into one group.
fn join(groups: &mut Vec<Vec<BugId>>, one: BugId, other: BugId) {
    let place = |groups: &[Vec<BugId>], id| groups.iter().position(|group| group.contains(&id));
    let (Some(first), Some(second)) = (place(groups, one), place(groups, other)) else { return };
    if first != second {
        let (first, second) = (first.min(second), first.max(second));
        let joined = groups.remove(second);
        groups[first].extend(joined);
        groups[first].sort_unstable();
    }
}

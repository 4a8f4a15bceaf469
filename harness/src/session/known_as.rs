//! Finds the stored bug of a failure. Ids change with the rules that make them, but a bug keeps the
//! id under which it was stored.

use std::collections::BTreeMap;

use dwindle_corpus::{BugId, BugStore, StoreError};

use crate::failure::failed::Failed;

/// The ids under which failures are stored, or will be.
///
/// The key is the id together with the older id. A heap error that an allocator detects in a
/// function has the same older id as a failure in that function itself.
#[derive(Debug, Default)]
pub(super) struct KnownAs(BTreeMap<(BugId, Option<BugId>), BugId>);

impl KnownAs {
    /// The id of a failure. The first call for a failure reads the store. The second result tells
    /// whether the failure's new id could be added to the stored bug as an alias.
    pub(super) fn find(
        &mut self,
        store: &BugStore,
        failed: &Failed,
    ) -> Result<(BugId, Result<(), StoreError>), StoreError> {
        let names = (failed.id, failed.old_id);
        if let Some(id) = self.0.get(&names) {
            return Ok((*id, Ok(())));
        }
        let id = store.known_as(failed.id, failed.old_id)?;
        let added = if id == failed.id { Ok(()) } else { store.add_alias(id, failed.id) };
        self.0.insert(names, id);
        Ok((id, added))
    }

    /// The id of a failure that never had an older id, if [`find`](KnownAs::find) has read it
    /// before. Otherwise `id` itself.
    pub(super) fn of(&self, id: BugId) -> BugId {
        self.0.get(&(id, None)).copied().unwrap_or(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::panics::{Panic, Place};

    fn failed(id: &str, old_id: Option<&str>) -> Failed {
        let place = Place { file: "src/it.rs".into(), line: 1, column: 1 };
        Failed {
            old_id: old_id.map(BugId::of),
            ..Failed::of_panic(Panic::at(place), BugId::of(id))
        }
    }

    #[test]
    fn a_shared_older_id_does_not_make_two_failures_one_bug() {
        let root = tempfile::tempdir().unwrap();
        let store = BugStore::open(root.path(), "target").unwrap();
        let mut known_as = KnownAs::default();
        let mut id = |failed: Failed| known_as.find(&store, &failed).unwrap().0;
        assert_eq!(id(failed("in a function", None)), BugId::of("in a function"));
        assert_eq!(id(failed("the heap", Some("in a function"))), BugId::of("the heap"));
        assert_eq!(id(failed("the heap", Some("elsewhere"))), BugId::of("the heap"));
    }
}

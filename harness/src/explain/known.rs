//! The known causes of a bug, as the store has them.

use dwindle_corpus::{Bug, BugId, BugStore, Status, StoreError, is_cause_key, read_input};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::explain::{Cause, Claims};

use super::stored;
use crate::execution::{Executor, Runs};

/// A known cause of a bug.
pub(crate) struct Known {
    /// The key of the variant; empty for the bug's own input.
    pub(crate) key: String,
    /// The key of the cause that this one is a further form of.
    pub(crate) same_as: Option<String>,
    pub(crate) cause: Cause,
}

impl Known {
    /// Whether reports name it as a cause: it is no variant by call path, and no further form.
    pub(crate) fn is_reported(&self) -> bool {
        self.same_as.is_none() && (self.key.is_empty() || is_cause_key(&self.key))
    }
}

/// The causes of a bug: its own minimized input and those of its variants. A variant by call path
/// is one too, so its failures are no further cause. Leaves out the variant with the key `but`, and
/// what does not fail as this bug any more.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn causes<S: Executor>(
    executor: &mut S,
    store: &BugStore,
    id: BugId,
    but: Option<&str>,
) -> Result<Vec<Known>, StoreError> {
    let keys = store.variants(id)?.into_iter();
    let others = keys.filter(|key| Some(key.as_str()) != but);
    let own = (String::new(), store.bug(id));
    let bugs = std::iter::once(own).chain(others.map(|key| {
        let bug = store.variant(id, &key);
        (key, bug)
    }));
    let known = bugs.filter_map(|(key, bug)| {
        let explanation = bug.read_report().ok().and_then(|report| report.explanation);
        let same_as = explanation.and_then(|explanation| explanation.same_as);
        Some(Known { key, same_as, cause: cause(executor, &bug)? })
    });
    Ok(known.collect())
}

/// The known causes that a minimization must stay outside of: for a variant by cause all others of
/// its bug, for everything else none.
pub(crate) fn outside<S: Executor>(
    executor: &mut S,
    store: &BugStore,
    id: BugId,
    cause_key: Option<&str>,
) -> Result<Vec<Cause>, StoreError> {
    let Some(key) = cause_key else { return Ok(Vec::new()) };
    let known = causes(executor, store, id, Some(key))?;
    Ok(known.into_iter().map(|known| known.cause).collect())
}

/// Removes the variants by cause whose minimized input is that of a variant by call path. Their
/// hits stay, with the variant by call path.
///
/// # Errors
/// The store cannot be read or written.
pub(crate) fn withdraw_equal(
    store: &BugStore,
    id: BugId,
    (call_path, input): (&str, &[u8]),
) -> Result<(), StoreError> {
    for key in store.variants(id)?.into_iter().filter(|key| is_cause_key(key)) {
        let cause = store.variant(id, &key);
        let is_minimized = cause.read_report().is_ok_and(|report| report.status != Status::Pending);
        if is_minimized && read_input(&cause.input()).is_ok_and(|own| *own == *input) {
            for original in cause.originals()? {
                store.keep_original(id, Some(call_path), &read_input(&original)?)?;
            }
            store.withdraw_cause(id, &key)?;
        }
    }
    Ok(())
}

/// The cause that a bug or variant stands for. `None` if it is not minimized, or damaged.
pub(crate) fn cause<S: Executor>(executor: &mut S, bug: &Bug) -> Option<Cause> {
    let report = bug.read_report().ok().filter(|report| report.status != Status::Pending)?;
    let input = read_input(&bug.input()).ok()?;
    let mut minimized = Trace::default();
    executor.allow_for(Runs::Again(report.kind));
    let failed = executor.run_input(&input, &mut minimized).failure()?;
    if !failed.is_of(&report) || minimized.is_empty() {
        return None;
    }
    let claims = report.explanation.and_then(|known| stored::read(&known.claims, &minimized));
    Some(Cause { minimized, claims: claims.unwrap_or_else(Claims::none) })
}

#[cfg(test)]
mod tests {
    use dwindle_corpus::{BugKind, Report, cause_key};

    use super::*;

    #[test]
    fn a_cause_with_the_input_of_a_call_path_is_withdrawn_and_its_hits_stay() {
        let folder = tempfile::tempdir().unwrap();
        let store = BugStore::open(folder.path(), "target").unwrap();
        let id = BugId::from_bits(7);
        let pending = Report::pending("target", id, BugKind::Panic);
        let minimized = Report { status: Status::Minimized, ..pending.clone() };
        store.claim(id, b"first", &pending).unwrap();
        let (equal, other) = (cause_key(b"equal"), cause_key(b"other"));
        for (key, original, input) in [
            ("0a1b", &b"found"[..], &b"ab"[..]),
            (&equal, b"equal", b"ab"),
            (&other, b"other", b"a"),
        ] {
            store.claim_variant(id, key, original, &pending).unwrap();
            store.finish_variant(id, key, input, &minimized, None).unwrap();
        }
        store.claim_variant(id, &cause_key(b"waits"), b"waits", &pending).unwrap();
        withdraw_equal(&store, id, ("0a1b", b"ab")).unwrap();
        let mut left = store.variants(id).unwrap();
        left.sort();
        let mut expected = vec!["0a1b".to_owned(), other, cause_key(b"waits")];
        expected.sort();
        assert_eq!(left, expected);
        let originals = store.variant(id, "0a1b").originals().unwrap();
        let mut hits: Vec<_> = originals.iter().map(|file| std::fs::read(file).unwrap()).collect();
        hits.sort();
        assert_eq!(hits, [b"equal", b"found"]);
    }
}

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

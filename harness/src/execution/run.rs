//! How one run ended.

use dwindle_corpus::BugId;

use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;

/// The result of one run.
#[derive(Debug)]
pub(crate) enum Run {
    Overrun,
    Rejected,
    Passed,
    Failed(Failed),
    /// The target or test uses dwindle wrongly.
    Misused(Misuse),
}

impl Run {
    /// Whether the target failed as the bug with this id.
    pub(crate) fn is_failure_of(&self, id: BugId) -> bool {
        matches!(self, Run::Failed(failed) if failed.id == id)
    }

    /// What the target did, as a verb.
    pub(crate) fn in_words(&self) -> &'static str {
        match self {
            Run::Overrun => "was stopped at the limit of choices",
            Run::Rejected => "rejects it",
            Run::Passed => "passes",
            Run::Failed(_) => "fails",
            Run::Misused(_) => "uses dwindle wrongly",
        }
    }
}

//! How one run ended.

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

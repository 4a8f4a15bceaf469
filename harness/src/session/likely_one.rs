//! The lines of a run about bugs that are likely one fault. See
//! [`BugStore::likely_one_fault`](dwindle_corpus::BugStore::likely_one_fault) for how they are
//! found.

use std::fmt::Write;

use dwindle_corpus::BugId;

/// One line for each group, for printing after a table of bugs. Empty if there are no groups.
pub(crate) fn words(groups: &[Vec<BugId>]) -> String {
    let mut text = String::new();
    for group in groups {
        let ids: Vec<String> = group.iter().map(BugId::to_string).collect();
        let _ = write!(text, "\nlikely one fault: {} (one input shows them all)", ids.join(", "));
    }
    text
}

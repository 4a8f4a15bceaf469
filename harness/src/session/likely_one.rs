//! How a run says that several bugs are likely one fault. Which are: [`BugStore::likely_one_fault`](dwindle_corpus::BugStore::likely_one_fault).

use std::fmt::Write;

use dwindle_corpus::BugId;

/// A line for each group, behind a table of bugs; empty if there is no group.
pub(crate) fn words(groups: &[Vec<BugId>]) -> String {
    let mut text = String::new();
    for group in groups {
        let ids: Vec<String> = group.iter().map(BugId::to_string).collect();
        let _ = write!(text, "\nlikely one fault: {} (one input shows them all)", ids.join(", "));
    }
    text
}

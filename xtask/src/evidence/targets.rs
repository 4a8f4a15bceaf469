//! How many causes the bugs of real targets get. The true number of faults is not known. A bug
//! should have one cause, so the table shows how many causes it has beside the first.
//!
//! `TARGETS_SECONDS` and `TARGETS_SEED` change the length of a run and its seed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::run::{Bug, TARGETS, run_in};
use super::variable::variable;
use crate::tools;

/// Each over a released crate with one known fault. The first five and `bigint_signed_bytes` have
/// several assertions.
const KNOWN: (&str, &[&str]) = (
    "bench/known/ours",
    &[
        "radix_trie_model",
        "matrix_graph_model",
        "ord_map_model",
        "rangemap_model",
        "circular_buffer_eq",
        "semver_req",
        "isbn_hyphenate",
        "bigint_signed_bytes",
        "wildmatch_model",
    ],
);
const SECONDS: &str = "45";
const SEED: &str = "1";
/// How many causes a bug may have beside its first.
const LIMIT: usize = 1;

pub(super) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    let seconds = variable("TARGETS_SECONDS", SECONDS);
    let seed: u64 =
        variable("TARGETS_SEED", SEED).parse().context("TARGETS_SEED is not a number")?;
    println!("{seconds} s each, seed {seed}.\n");
    println!("| target | bug | further causes | further forms | not minimized | first input |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let (mut bugs, mut good) = (0, 0);
    for (fuzz_dir, targets) in [("fuzz", TARGETS), KNOWN] {
        for target in targets {
            let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
            let options = ["--fuzz-dir", fuzz_dir, "--max-time", &seconds];
            for bug in run_in(scratch.path(), target, seed, &options)? {
                let folder = scratch.path().join("store").join(target).join(bug.field("bug_id"));
                let causes = Causes::of(&folder)?;
                bugs += 1;
                good += usize::from(causes.further <= LIMIT);
                println!("| {target} | {} | {causes} | {} |", place(&bug), cut(&bug.draws()));
            }
        }
    }
    println!("\nAt most {LIMIT} further cause: {good} of {bugs} bugs.");
    Ok(())
}

/// What a bug has beside its first input.
#[derive(Debug, Default, PartialEq, Eq)]
struct Causes {
    further: usize,
    /// Inputs that turned out to be of a known cause.
    forms: usize,
    pending: usize,
}

impl Causes {
    fn of(bug: &Path) -> Result<Causes> {
        let mut causes = Causes::default();
        for entry in fs::read_dir(bug).with_context(|| bug.display().to_string())?.flatten() {
            if entry.file_name().to_string_lossy().starts_with("variant-cause-") {
                let report = fs::read(entry.path().join("report.json"))?;
                causes.count(&serde_json::from_slice(&report)?);
            }
        }
        Ok(causes)
    }

    fn count(&mut self, report: &Value) {
        if report["status"] == "pending" {
            self.pending += 1;
        } else if report["explanation"]["same_as"].is_null() {
            self.further += 1;
        } else {
            self.forms += 1;
        }
    }
}

impl std::fmt::Display for Causes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} | {} | {}", self.further, self.forms, self.pending)
    }
}

/// The file's name and the line.
fn place(bug: &Bug) -> String {
    let location = bug.field("location");
    location.rsplit('/').next().unwrap_or_default().to_owned()
}

/// The beginning of a text, in a cell of a table.
fn cut(text: &str) -> String {
    text.chars().take(100).collect::<String>().replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Causes;

    #[test]
    fn a_form_of_the_bug_itself_is_no_further_cause() {
        let mut causes = Causes::default();
        causes.count(&json!({ "status": "minimized", "explanation": { "same_as": "" } }));
        causes.count(&json!({ "status": "minimized", "explanation": {} }));
        causes.count(&json!({ "status": "pending" }));
        assert_eq!(causes, Causes { further: 1, forms: 1, pending: 1 });
    }
}

//! One run of `cargo dwindle run`, and the bugs it ended with.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::tools;

/// The targets of `fuzz/` over real crates, and one that has no bug.
pub(crate) const TARGETS: &[&str] = &[
    "byte_format",
    "url_setters",
    "decimal_expr",
    "roaring_remove",
    "smallvec_insert_many",
    "graphmap_remove_node",
];

/// A bug as its `report.json` says it.
pub(crate) struct Bug(Value);

impl Bug {
    /// The draws, one after the other.
    pub(crate) fn draws(&self) -> String {
        let draws: Vec<&str> =
            self.0["value"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        draws.join(", ")
    }

    /// A text or a number of the report.
    pub(crate) fn field(&self, name: &str) -> String {
        self.0[name].as_str().map_or_else(|| self.0[name].to_string(), str::to_owned)
    }
}

impl From<Value> for Bug {
    fn from(report: Value) -> Bug {
        Bug(report)
    }
}

/// Runs a target from an empty corpus and an empty store, with these options of `cargo dwindle
/// run`, and gives the bugs of its end.
pub(crate) fn run(target: &str, seed: u64, options: &[&str]) -> Result<Vec<Bug>> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    run_in(scratch.path(), target, seed, options)
}

/// The same. Afterwards, the folder `store` in this folder is the store.
pub(crate) fn run_in(
    scratch: &Path,
    target: &str,
    seed: u64,
    options: &[&str],
) -> Result<Vec<Bug>> {
    let corpus = scratch.join("corpus");
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    let output = tools::cargo()
        .args(["dwindle", "run", target, "--json"])
        .arg(&corpus)
        .arg("--store")
        .arg(scratch.join("store"))
        .args(options)
        .arg("--")
        .arg(format!("-seed={seed}"))
        .arg(format!("-artifact_prefix={}/", scratch.display()))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(
        matches!(output.status.code(), Some(0 | 1)),
        "`cargo dwindle run {target}` ended with {}",
        output.status
    );
    let words = String::from_utf8_lossy(&output.stdout);
    let mut events = words.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let end = events
        .rfind(|event| event["event"] == "end")
        .context("the run does not say how it ended")?;
    Ok(end["bugs"].as_array().into_iter().flatten().map(|bug| Bug(bug["report"].clone())).collect())
}

/// The executions of a run, as it says them at its end.
pub(super) fn executions_of(run: &Output) -> Result<u64> {
    let words = String::from_utf8_lossy(&run.stderr);
    let count = words.lines().rev().find_map(|line| {
        line.strip_prefix("dwindle: ")?.split_once(" executions in")?.0.parse().ok()
    });
    count.with_context(|| format!("a run does not say its executions: {words}"))
}

//! `cargo fuzz run --jobs 2` beside one job: the bugs of as long a run, and whether all are
//! minimized.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::evidence::run::Bug;
use crate::tools;

const TARGET: &str = "url_setters";
const SECONDS: u64 = 60;
/// libFuzzer's exit code of a run in which something failed.
const FAILED: i32 = 77;

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    println!(
        "| jobs | bugs | minimized | executions | s | exit |\n| --- | --- | --- | --- | --- | --- |"
    );
    let one = run(1)?;
    let two = run(2)?;
    println!("\n| bug | where | with one job | with two |\n| --- | --- | --- | --- |");
    for id in one.keys().chain(two.keys().filter(|id| !one.contains_key(*id))) {
        let draws = |bugs: &BTreeMap<String, Bug>| {
            bugs.get(id).map_or_else(|| "-".to_owned(), |bug| format!("`{}`", bug.draws()))
        };
        let place =
            one.get(id).or(two.get(id)).map(|bug| bug.field("location")).unwrap_or_default();
        println!("| {id} | {place} | {} | {} |", draws(&one), draws(&two));
    }
    let has_all = one.keys().all(|id| two.contains_key(id));
    let all_minimized = two.values().all(|bug| bug.field("status") == "minimized");
    println!(
        "\nthe figure is {}",
        if has_all && all_minimized && !two.is_empty() { "met" } else { "NOT met" }
    );
    Ok(())
}

/// One run from an empty corpus and an empty store: its bugs, by id.
fn run(jobs: u64) -> Result<BTreeMap<String, Bug>> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let corpus = scratch.path().join("corpus");
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    let mut command = tools::cargo_fuzz()?;
    command.args(["run", "--fuzz-dir", "fuzz", TARGET]);
    if jobs > 1 {
        command.args(["--jobs", &jobs.to_string()]);
    }
    command.arg(&corpus).args([
        "--",
        &format!("-max_total_time={SECONDS}"),
        &format!("-artifact_prefix={}/", scratch.path().display()),
    ]);
    let began = Instant::now();
    let output = command
        .env("DWINDLE_STORE", scratch.path().join("store"))
        .output()
        .context("cannot start cargo")?;
    let took = began.elapsed().as_secs_f64();
    let words = String::from_utf8_lossy(&output.stderr);
    let executions = words
        .lines()
        .find_map(|line| line.strip_prefix("dwindle: ")?.split_once(" executions in"))
        .map_or("?", |(count, _)| count);
    let folders =
        fs::read_dir(scratch.path().join("store").join(TARGET)).into_iter().flatten().flatten();
    let mut bugs = BTreeMap::new();
    for folder in folders.filter(|folder| !folder.file_name().to_string_lossy().starts_with('.')) {
        let report = fs::read(folder.path().join("report.json")).context("a bug has no report")?;
        bugs.insert(
            folder.file_name().to_string_lossy().into_owned(),
            Bug::from(serde_json::from_slice::<Value>(&report)?),
        );
    }
    let minimized = bugs.values().filter(|bug| bug.field("status") == "minimized").count();
    // cargo-fuzz hands the code on in words.
    let is_failed = words.contains(&format!("exit status: {FAILED}"));
    println!(
        "| {jobs} | {} | {minimized} | {executions} | {took:.1} | {} |",
        bugs.len(),
        if is_failed { "77" } else { "not 77" }
    );
    Ok(bugs)
}

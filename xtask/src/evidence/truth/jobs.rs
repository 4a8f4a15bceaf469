//! `cargo fuzz run --jobs 2` beside one job: the bugs of runs of the same length, and whether all
//! are minimized.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::evidence::run::Bug;
use crate::tools;

const TARGET: &str = "url_setters";
const SECONDS: u64 = 60;
/// How many runs there are of each kind. Their seeds are random, so each misses another rare bug.
const ROUNDS: usize = 5;
/// libFuzzer's exit code of a run in which something failed.
const FAILED: i32 = 77;

/// The bugs of a run, by id.
type Bugs = BTreeMap<String, Bug>;

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    println!(
        "| jobs | bugs | minimized | executions | s | exit |\n| --- | --- | --- | --- | --- | --- |"
    );
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        one.push(run(1)?);
        two.push(run(2)?);
    }
    println!(
        "\n| bug | where | minimized to | runs with one job | runs with two |\n\
         | --- | --- | --- | --- | --- |"
    );
    let all: BTreeMap<&String, &Bug> = one.iter().chain(&two).flatten().collect();
    let mut loses_one = false;
    for (id, bug) in &all {
        let [with_one, with_two] =
            [&one, &two].map(|runs| runs.iter().filter(|bugs| bugs.contains_key(*id)).count());
        loses_one |= with_one == ROUNDS && with_two < ROUNDS;
        println!(
            "| {id} | {} | `{}` | {with_one} | {with_two} |",
            bug.field("location"),
            bug.draws()
        );
    }
    let [sum_of_one, sum_of_two] =
        [&one, &two].map(|runs| runs.iter().map(BTreeMap::len).sum::<usize>());
    let all_minimized =
        two.iter().flat_map(BTreeMap::values).all(|bug| bug.field("status") == "minimized");
    let is_met = sum_of_two >= sum_of_one && !loses_one && all_minimized && sum_of_two > 0;
    println!(
        "\nbugs of all runs: {sum_of_one} with one job, {sum_of_two} with two; a bug of every run \
         with one job is {} one of every run with two; the figure is {}",
        if loses_one { "not always" } else { "always" },
        if is_met { "met" } else { "NOT met" }
    );
    Ok(())
}

/// One run from an empty corpus and an empty store: its bugs.
fn run(jobs: u64) -> Result<Bugs> {
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
    let mut bugs = Bugs::new();
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

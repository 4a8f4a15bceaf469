//! Two minutes of a campaign of AFL++, beside two minutes of libFuzzer on the same target.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::evidence::run::Bug;
use crate::tools;

const TARGET: &str = "url_setters";
const SECONDS: &str = "120";
const INSTANCES: &str = "2";

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let out = scratch.path().join("out");
    let campaign = run(
        scratch.path(),
        "afl",
        &["--engine", "afl", "--as-is", "--jobs", INSTANCES, "--out", &out.to_string_lossy()],
    )?;
    let libfuzzer = run(scratch.path(), "libfuzzer", &[])?;
    let known: BTreeSet<String> = libfuzzer.bugs.iter().map(|bug| bug.field("bug_id")).collect();
    println!(
        "\n{SECONDS} seconds of {TARGET}: AFL++ with {INSTANCES} instances made {} executions, \
         libFuzzer {}.\n",
        campaign.executions, libfuzzer.executions
    );

    let crashes = crashes(&out)?;
    println!(
        "| bug | where | draws | status | by libFuzzer too | crash files of an instance, at most \
         |\n| --- | --- | --- | --- | --- | --- |"
    );
    for bug in &campaign.bugs {
        let id = bug.field("bug_id");
        let also = if known.contains(&id) { "yes" } else { "no" };
        println!(
            "| {id} | {} | `{}` | {} | {also} | {} |",
            bug.field("location"),
            bug.draws(),
            bug.field("status"),
            crashes.get(&id).copied().unwrap_or(0)
        );
    }
    let minimized = campaign.bugs.iter().filter(|bug| bug.field("status") == "minimized").count();
    let at_end = campaign.left;
    println!(
        "\nAFL++: {} bugs, {minimized} minimized, {at_end} of them after the campaign had ended. \
         libFuzzer: {} bugs.",
        campaign.bugs.len(),
        libfuzzer.bugs.len()
    );
    Ok(())
}

struct Campaign {
    bugs: Vec<Bug>,
    executions: u64,
    /// How many bugs were minimized more than the campaign's seconds after its start.
    left: usize,
}

/// Runs `cargo dwindle` with its own store and its own corpus.
fn run(scratch: &Path, name: &str, options: &[&str]) -> Result<Campaign> {
    let (store, corpus) = (scratch.join(name), scratch.join(format!("{name}-corpus")));
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    let mut command = tools::cargo();
    command
        .args(["dwindle", "run", TARGET])
        .arg(&corpus)
        .args(["--max-time", SECONDS, "--json", "--store"])
        .arg(&store)
        .args(options);
    let output = tools::with_cargo_afl(&mut command)?
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .context("cannot start cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        matches!(output.status.code(), Some(0 | 1)),
        "the run ended with {}:\n{said}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let events: Vec<serde_json::Value> =
        said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let seconds: f64 = SECONDS.parse()?;
    let mut now = 0.0;
    let mut left = 0;
    for event in &events {
        now = event["seconds"].as_f64().unwrap_or(now);
        left += usize::from(event["event"] == "minimized" && now > seconds);
    }
    let end = events
        .iter()
        .find(|event| event["event"] == "end")
        .context("the run did not say its end")?;
    let bugs = end["bugs"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|bug| Bug::from(bug["report"].clone()))
        .collect();
    Ok(Campaign { bugs, executions: end["executions"].as_u64().unwrap_or(0), left })
}

/// For each bug, how many files the instance has in `crashes` that has most of them.
fn crashes(out: &Path) -> Result<BTreeMap<String, usize>> {
    let mut most = BTreeMap::new();
    for instance in folders(out)? {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for file in fs::read_dir(instance.join("crashes"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
        {
            if file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("id")) {
                *counts.entry(bug_of(&file)?).or_default() += 1;
            }
        }
        for (id, count) in counts {
            let most = most.entry(id).or_default();
            *most = count.max(*most);
        }
    }
    Ok(most)
}

/// The id of the bug that a file shows.
fn bug_of(file: &Path) -> Result<String> {
    let output = tools::cargo()
        .args(["dwindle", "show", TARGET])
        .arg(file)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .context("cannot start cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let id = said.lines().find_map(|line| line.strip_prefix("bug "));
    id.map(str::to_owned).with_context(|| format!("{} does not fail:\n{said}", file.display()))
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect())
}

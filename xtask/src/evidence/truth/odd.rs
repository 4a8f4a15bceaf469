//! What a target may do to its process: what is kept of each way, and when the run ends.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::evidence::build::{self, FIXTURE};
use crate::odd::{CHOICES, TARGET, WAYS, Way};
use crate::tools;

/// How long each run fuzzes, and how long it may take beyond that.
const SECONDS: u64 = 5;
const OVERRUN_MAX: Duration = Duration::from_secs(10);
/// libFuzzer's exit code of a run in which something failed.
const FAILED: i32 = 77;

pub(super) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    let binary = build::plain(FIXTURE, TARGET)?;
    println!("| way | kept | choices | status | ended after | processes left | as it should be |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut wrong = 0;
    for way in WAYS.iter().filter(|way| super::is_wanted(way.name)) {
        wrong += u64::from(!one(&binary, *way)?);
    }
    println!(
        "\n{wrong} of {} ways are not as they should be: kept, minimized unless the failure \
         depends on time, ended within {} s",
        WAYS.len(),
        SECONDS + OVERRUN_MAX.as_secs()
    );
    Ok(())
}

/// One run of one way; whether all is as it should be.
fn one(binary: &Path, way: Way) -> Result<bool> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    fs::create_dir(scratch.path().join("corpus")).context("cannot make a temporary folder")?;
    let store = scratch.path().join("store");
    let mut command = Command::new(binary);
    command.arg("corpus").args([&format!("-max_total_time={SECONDS}"), "-seed=1"]);
    // Files and not pipes: what the target leaves behind may hold them open.
    let said = || {
        fs::File::create(scratch.path().join("said")).map_or_else(|_| Stdio::null(), Stdio::from)
    };
    command
        .env("ODD_WAY", way.name)
        .env("DWINDLE_STORE", &store)
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .stdout(said())
        .stderr(said());
    let before = processes_of(binary);
    let began = Instant::now();
    let code = command.status().context("cannot start the target")?.code();
    let took = began.elapsed();
    let left = processes_of(binary).difference(&before).count();
    let reports: Vec<Value> = fs::read_dir(store.join(TARGET))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|folder| {
            serde_json::from_slice(&fs::read(folder.path().join("report.json")).ok()?).ok()
        })
        .collect();
    let kept = reports.iter().find(|report| report["kind"] == way.kind);
    let choices = kept.and_then(|report| report["minimized_choices"].as_u64());
    let status = kept.and_then(|report| report["status"].as_str()).unwrap_or("-");
    let is_minimized =
        way.not_minimized.is_some() || (status == "minimized" && choices == Some(CHOICES));
    // On a busy machine a failure that takes a second of processor time may not come to its end in
    // this time.
    let is_kept = way.not_minimized.is_some() || (kept.is_some() && code == Some(FAILED));
    let is_right =
        is_kept && is_minimized && left == 0 && took <= Duration::from_secs(SECONDS) + OVERRUN_MAX;
    println!(
        "| {} | {} | {} | {} | {:.1} s | {left} | {} |",
        way.name,
        kept.map_or("-", |_| way.kind),
        choices.map_or_else(|| "-".to_owned(), |choices| choices.to_string()),
        way.not_minimized.map_or_else(|| status.to_owned(), |why| format!("{status} ({why})")),
        took.as_secs_f64(),
        if is_right { "yes" } else { "NO" }
    );
    Ok(is_right)
}

/// All processes that run this executable.
fn processes_of(binary: &Path) -> HashSet<String> {
    let of_binary = |folder: &fs::DirEntry| {
        fs::read_link(folder.path().join("exe")).is_ok_and(|program| program == binary)
    };
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter(of_binary)
        .map(|folder| folder.file_name().to_string_lossy().into_owned())
        .collect()
}

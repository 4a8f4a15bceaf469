//! A maze that only a score leads through: executions to its end, and ten times as many without the score.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::evidence::build;

const SEEDS: u64 = 3;
const RUNS_MAX: u64 = 20_000_000;

pub(crate) fn measure() -> Result<()> {
    let told = build::plain(build::FIXTURE, "maze")?;
    let untold = build::plain(build::FIXTURE, "maze_untold")?;
    println!("\nA maze of 64 steps under libFuzzer, from an empty corpus:\n");
    println!("| seed | executions to the end, with `tc.target` | without it, ten times as many |\n| --- | --- | --- |");
    for seed in 1..=SEEDS {
        let (found, executions) = run(Command::new(&told), seed, RUNS_MAX)?;
        let (found_untold, untold) = run(Command::new(&untold), seed, executions * 10)?;
        println!("| {seed} | {} | {} |", words(found, executions), words(found_untold, untold));
    }
    Ok(())
}

fn words(found: bool, executions: u64) -> String {
    if found { format!("{executions}") } else { format!("not found in {executions}") }
}

/// Whether a run finds the end, and after how many executions it stopped.
fn run(mut target: Command, seed: u64, runs: u64) -> Result<(bool, u64)> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let corpus = scratch.path().join("corpus");
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    target.arg(&corpus).args([format!("-seed={seed}"), format!("-runs={runs}"), format!("-artifact_prefix={}/", scratch.path().display())]);
    let output = target.env("DWINDLE_STORE", scratch.path().join("store")).env("DWINDLE_STOP", "first").output().context("cannot start the target")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(matches!(output.status.code(), Some(0 | 77)), "the run ended with {}:\n{said}", output.status);
    let end = said.lines().rev().find_map(|line| line.strip_prefix("dwindle: ")?.split_once(" executions in ")).context("the run did not say how it ended")?;
    Ok((output.status.code() == Some(77), end.0.parse().with_context(|| format!("{} is no number of executions", end.0))?))
}

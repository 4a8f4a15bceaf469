//! Instructions for each candidate, counted by callgrind.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::ours::shrink_with;
use crate::vectors::Vectors;

/// What one candidate costs at one length of the trace.
#[derive(Debug, Serialize)]
pub struct Cost {
    choices: usize,
    calls: u64,
    instructions: f64,
    limit: f64,
}

/// Candidates that are run at most; fewer where each of them is dear.
fn calls_max(length: usize) -> u64 {
    if length > 10_000 { 30 } else { 300 }
}

/// For traces of vectors of these lengths.
///
/// # Errors
/// If valgrind is not there.
pub fn measure() -> Result<Vec<Cost>> {
    [5, 50, 500, 5_000, 50_000]
        .into_iter()
        .map(|length| {
            eprintln!("cost of {length} elements");
            let (without, _) = total(length, 0)?;
            let (with, calls) = total(length, calls_max(length))?;
            let choices = 2 * length + 1;
            Ok(Cost { choices, calls, instructions: (with - without) as f64 / calls.max(1) as f64, limit: 1000.0 + 60.0 * choices as f64 })
        })
        .collect()
}

/// What callgrind runs: a shrink of a vector whose elements are all needed, none of them as small as it can be. Prints the calls made.
pub fn run(length: usize, calls_max: u64) {
    let mut runner = Vectors::new(u32::MAX, |values| values.len() >= length && values.iter().all(|value| *value >= 10));
    let values: Vec<u32> = (0..).take(length).map(|index| 1_000_000 + index * 7919 % 10_007).collect();
    let start = runner.trace(&values);
    shrink_with(&start, &mut runner, calls_max);
    println!("{}", runner.calls);
}

fn total(length: usize, calls_max: u64) -> Result<(u64, u64)> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["--cost-run", &length.to_string(), &calls_max.to_string()])
        .output()
        .context("valgrind could not be started; install it (Debian: apt-get install valgrind)")?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "callgrind failed:\n{text}");
    let collected = text.lines().find_map(|line| line.split_once("Collected : ")).with_context(|| format!("callgrind printed no count:\n{text}"))?;
    Ok((collected.1.trim().parse()?, String::from_utf8(output.stdout)?.trim().parse()?))
}

/// Prints what was measured.
pub fn print(costs: &[Cost]) {
    println!();
    println!("Instructions for each candidate, the replay through the generator and the property included:");
    println!();
    println!("| choices | candidates | instructions | for each choice | limit | |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for Cost { choices, calls, instructions, limit } in costs {
        let said = if instructions <= limit { "met" } else { "MISSED" };
        println!("| {choices} | {calls} | {instructions:.0} | {:.1} | {limit:.0} | {said} |", instructions / *choices as f64);
    }
}

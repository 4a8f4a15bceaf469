//! Instructions for each candidate, counted by callgrind.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::ours::shrink_with;
use crate::vectors::Vectors;

/// What one candidate costs at one length of the trace.
#[derive(Debug, Serialize)]
pub struct Cost {
    choices: usize,
    calls: u64,
    /// `None` where callgrind takes too long.
    instructions: Option<f64>,
    nanos: f64,
}

/// Candidates of at least this many choices have a goal.
const LONG: usize = 10_000;
/// The most nanoseconds for each choice of such a candidate.
const NANOS_MAX: f64 = 75.0;

/// Longer vectors are timed, not counted.
const COUNTED_MAX: usize = 5_000;

/// Candidates that are run at most; fewer where each of them is dear.
fn calls_max(length: usize) -> u64 {
    if length > COUNTED_MAX { 40 } else { 300 }
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
            let (calls, time) = shrunk(length, calls_max(length));
            let counted = |calls_max| total(length, calls_max);
            let instructions = if length > COUNTED_MAX {
                None
            } else {
                Some((counted(calls_max(length))? - counted(0)?) as f64 / calls as f64)
            };
            let choices = 2 * length + 1;
            Ok(Cost {
                choices,
                calls,
                instructions,
                nanos: time.as_secs_f64() * 1e9 / calls as f64,
            })
        })
        .collect()
}

/// What callgrind runs.
pub fn run(length: usize, calls_max: u64) {
    shrunk(length, calls_max);
}

/// Shrinks a vector whose elements are all needed, none of them as small as it can be: the calls
/// made, and the time.
fn shrunk(length: usize, calls_max: u64) -> (u64, Duration) {
    let mut runner = Vectors::new(u32::MAX, |values| {
        values.len() >= length && values.iter().all(|value| *value >= 10)
    });
    let values: Vec<u32> =
        (0..).take(length).map(|index| 1_000_000 + index * 7919 % 10_007).collect();
    let start = runner.trace(&values);
    let begun = Instant::now();
    shrink_with(&start, &mut runner, calls_max);
    (runner.calls, begun.elapsed())
}

fn total(length: usize, calls_max: u64) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["--cost-run", &length.to_string(), &calls_max.to_string()])
        .output()
        .context("valgrind could not be started; install it (Debian: apt-get install valgrind)")?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "callgrind failed:\n{text}");
    let collected = text
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .with_context(|| format!("callgrind printed no count:\n{text}"))?;
    Ok(collected.1.trim().parse()?)
}

/// Prints what was measured.
pub fn print(costs: &[Cost]) {
    println!();
    println!(
        "Instructions for each candidate, the replay through the generator and the property \
         included:"
    );
    println!();
    println!(
        "| choices | candidates | instructions | for each choice | ns for each choice | goal |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for Cost { choices, calls, instructions, nanos } in costs {
        let each = |of_all: f64| of_all / *choices as f64;
        print!("| {choices} | {calls} |");
        match instructions {
            None => print!(" not counted | - |"),
            Some(count) => print!(" {count:.0} | {:.1} |", each(*count)),
        }
        let goal = match each(*nanos) <= NANOS_MAX {
            _ if *choices < LONG => "",
            true => "at most 75, met",
            false => "at most 75, MISSED",
        };
        println!(" {:.1} | {goal} |", each(*nanos));
    }
}

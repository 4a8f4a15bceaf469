//! How good the estimate of new coverage is. It runs real targets and cuts each run into stretches.
//! For each stretch it compares the last heartbeat before it with what came.
//!
//! A run counts how often new edges were covered. The estimate is right about a run if the number
//! that it expected, summed over the stretches, is within a factor of two of the number that came.
//! A half is added to both numbers, so a run is right in which 0.4 were expected and 0 came.
//!
//! The heartbeat's estimate is for a minute. For a shorter stretch, the same
//! formula is computed with the length of the stretch.
//!
//! `ESTIMATE_STRETCH`, `ESTIMATE_SECONDS` and `ESTIMATE_SEEDS` change the length of a stretch, the
//! length of a run, and the seeds: a comma stands between them.

use std::f64::consts::LN_2;
use std::fmt::Display;
use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::run::TARGETS;
use super::variable::variable;
use crate::tools;

const STRETCH: &str = "10";
const SECONDS: &str = "120";
const SEEDS: &str = "101,102,103";
/// When the first stretch begins, in seconds. The first estimate comes after 5 seconds.
const FIRST: f64 = 10.0;
/// The time that the estimate is for, in seconds.
const MINUTE: f64 = 60.0;
/// The share of the runs in which the estimate has to be right.
const GOAL: f64 = 0.8;
/// The classes of chances in the last table.
const CLASSES: [(f64, f64); 5] = [(0.0, 0.1), (0.1, 0.35), (0.35, 0.65), (0.65, 0.9), (0.9, 1.0)];

pub(super) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    let stretch: f64 = variable("ESTIMATE_STRETCH", STRETCH).parse()?;
    let seconds: u64 = variable("ESTIMATE_SECONDS", SECONDS).parse()?;
    let seeds = variable("ESTIMATE_SEEDS", SEEDS);
    ensure!(stretch >= 1.0 && FIRST + stretch <= seconds as f64, "no stretch fits into a run");
    println!("Runs of {seconds} s, in stretches of {stretch} s.\n");
    println!(
        "| target | seed | came before the first stretch | expected | came | stretches expected | \
         stretches with some | within a factor of two |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let (mut runs, mut right, mut minutes) = (0, 0, Vec::new());
    for target in TARGETS {
        for seed in seeds.split(',') {
            let beats = run(target, seed, seconds)?;
            let sums = Sums::of(&beats, stretch, seconds as f64);
            runs += 1;
            right += usize::from(sums.is_right());
            println!("| {target} | {seed} | {sums} |");
            minutes.extend(of_a_minute(&beats, stretch));
        }
    }
    let share = f64::from(right as u32) / f64::from(runs);
    println!(
        "\nwithin a factor of two: {right} of {runs} runs; at least {:.0} %: {}\n",
        GOAL * 100.0,
        if share >= GOAL { "met" } else { "MISSED" }
    );
    println!("| chance of the next minute | estimates | mean | new coverage came |");
    println!("| --- | --- | --- | --- |");
    for (from, to) in CLASSES {
        let class: Vec<_> = minutes
            .iter()
            .filter(|(chance, _)| *chance >= from && (*chance < to || to >= 1.0))
            .collect();
        let count = class.len().max(1) as f64;
        println!(
            "| {:.0} to {:.0} % | {} | {:.0} % | {:.0} % |",
            from * 100.0,
            to * 100.0,
            class.len(),
            class.iter().map(|(chance, _)| chance).sum::<f64>() / count * 100.0,
            class.iter().filter(|(_, came)| *came).count() as f64 / count * 100.0
        );
    }
    Ok(())
}

/// What a heartbeat says.
#[derive(Clone, Copy, Debug)]
struct Beat {
    seconds: f64,
    /// How often new edges were covered.
    count: f64,
    /// How often that is expected in the next minute, and the chance that it happens.
    expected: f64,
    chance: f64,
}

impl Beat {
    fn read(line: &str) -> Option<Beat> {
        let event: Value = serde_json::from_str(line).ok()?;
        let estimate = event.get("new_coverage").filter(|_| event["event"] == "heartbeat")?;
        Some(Beat {
            seconds: event["seconds"].as_f64()?,
            count: estimate["times"].as_f64()?,
            expected: estimate["expected"].as_f64()?,
            chance: estimate["chance"].as_f64()?,
        })
    }

    /// How often new edges are expected in the next `stretch` seconds, and how likely any are.
    fn for_the_next(&self, stretch: f64) -> (f64, f64) {
        let ratio = |next: f64| (next / self.seconds).ln_1p() / LN_2;
        let shape = self.expected / ratio(MINUTE);
        (shape * ratio(stretch), 1.0 - (1.0 + ratio(stretch)).powf(-shape))
    }
}

/// The heartbeats of a run with an empty corpus and an empty store.
fn run(target: &str, seed: &str, seconds: u64) -> Result<Vec<Beat>> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let corpus = scratch.path().join("corpus");
    fs::create_dir(&corpus).context("cannot make a temporary folder")?;
    let output = tools::cargo()
        .args(["dwindle", "run", target, "--json", "--max-time", &seconds.to_string()])
        .arg(&corpus)
        .arg("--store")
        .arg(scratch.path().join("store"))
        .args(["--", &format!("-seed={seed}")])
        .arg(format!("-artifact_prefix={}/", scratch.path().display()))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(
        matches!(output.status.code(), Some(0 | 1)),
        "`cargo dwindle run {target}` ended with {}",
        output.status
    );
    let beats: Vec<Beat> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(Beat::read).collect();
    ensure!(!beats.is_empty(), "the run of {target} says nothing about new coverage");
    Ok(beats)
}

/// The last heartbeat at or before a time.
fn at(beats: &[Beat], seconds: f64) -> Option<Beat> {
    beats.iter().copied().rfind(|beat| beat.seconds <= seconds)
}

/// The sums over the stretches of a run.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    before: f64,
    expected: f64,
    came: f64,
    chances: f64,
    stretches: f64,
}

impl Sums {
    fn of(beats: &[Beat], stretch: f64, seconds: f64) -> Sums {
        let mut sums = Sums::default();
        let mut begin = FIRST;
        sums.before = at(beats, begin).map_or(0.0, |beat| beat.count);
        while begin + stretch <= seconds {
            if let (Some(before), Some(after)) = (at(beats, begin), at(beats, begin + stretch)) {
                let (expected, chance) = before.for_the_next(stretch);
                let came = after.count - before.count;
                sums.expected += expected;
                sums.chances += chance;
                sums.came += came;
                sums.stretches += came.min(1.0);
            }
            begin += stretch;
        }
        sums
    }

    fn is_right(&self) -> bool {
        let ratio = (self.expected + 0.5) / (self.came + 0.5);
        (0.5..=2.0).contains(&ratio)
    }
}

impl Display for Sums {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} | {:.1} | {} | {:.1} | {} | {}",
            self.before,
            self.expected,
            self.came,
            self.chances,
            self.stretches,
            if self.is_right() { "yes" } else { "no" }
        )
    }
}

/// The chance that the heartbeat gave at the start of each stretch, and whether new coverage came
/// in the minute after that start.
fn of_a_minute(beats: &[Beat], stretch: f64) -> Vec<(f64, bool)> {
    let end = beats.last().map_or(0.0, |beat| beat.seconds + 0.5);
    let mut said = Vec::new();
    let mut begin = FIRST;
    while begin + MINUTE <= end {
        if let (Some(before), Some(after)) = (at(beats, begin), at(beats, begin + MINUTE)) {
            said.push((before.chance, after.count > before.count));
        }
        begin += stretch;
    }
    said
}

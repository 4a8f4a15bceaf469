//! One run of a target with a switch off, or with none off, and the number it is made for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::evidence::overhead::{children_seconds, free};

/// A run that fuzzes, from an empty corpus and an empty store.
pub(super) struct Fuzz {
    command: Command,
    scratch: Result<TempDir, std::io::Error>,
    store: PathBuf,
}

/// What a run said at its end.
struct Ended {
    executions: f64,
    deaths: f64,
    wall: Duration,
    processor: f64,
}

impl Fuzz {
    /// Of this executable, without this switch if it has a name. Bugs are not minimized: that would
    /// take time beside the fuzzer.
    pub(super) fn of(binary: &Path, without: &str) -> Fuzz {
        let scratch = tempfile::tempdir();
        let folder =
            scratch.as_ref().map_or_else(|_| PathBuf::new(), |scratch| scratch.path().to_owned());
        let mut command = free(Command::new(binary));
        command
            .env("DWINDLE_WITHOUT", without)
            .env("DWINDLE_BUDGET_CALLS", "1")
            .env("ASAN_OPTIONS", "detect_odr_violation=0");
        command.env("DWINDLE_STORE", folder.join("store")).stdout(Stdio::null());
        command
            .arg(folder.join("corpus"))
            .args(["-seed=1", &format!("-artifact_prefix={}/", folder.display())]);
        Fuzz { command, scratch, store: folder.join("store") }
    }

    pub(super) fn runs(mut self, runs: u64) -> Fuzz {
        self.command.arg(format!("-runs={runs}"));
        self
    }

    pub(super) fn seconds(mut self, seconds: u64) -> Fuzz {
        self.command.arg(format!("-max_total_time={seconds}"));
        self
    }

    /// Makes the target `rarely_dies` die of one input in `one_in`.
    pub(super) fn dies(mut self, one_in: u32) -> Fuzz {
        self.command.env("FIXTURE_DIES", one_in.to_string());
        self
    }

    pub(super) fn executions_of_the_processor(self) -> Result<f64> {
        self.end().map(|ended| ended.executions / ended.processor)
    }

    pub(super) fn executions(self) -> Result<f64> {
        self.end().map(|ended| ended.executions / ended.wall.as_secs_f64())
    }

    pub(super) fn deaths(self) -> Result<f64> {
        self.end().map(|ended| ended.deaths / ended.wall.as_secs_f64())
    }

    /// How many executions it takes to find something.
    pub(super) fn until_the_first_bug(mut self) -> Result<f64> {
        self.command.env("DWINDLE_STOP", "first");
        self.end().map(|ended| ended.executions)
    }

    fn start(&mut self) -> Result<Child> {
        let scratch = self.scratch.as_ref().ok().context("cannot make a temporary folder")?;
        fs::create_dir(scratch.path().join("corpus")).context("cannot make a temporary folder")?;
        self.command
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", self.command.get_program().display()))
    }

    fn end(mut self) -> Result<Ended> {
        let (processor, began) = (children_seconds()?, Instant::now());
        let output = self.start()?.wait_with_output()?;
        let (processor, wall) = (children_seconds()? - processor, began.elapsed());
        let words = String::from_utf8_lossy(&output.stderr);
        ensure!(
            matches!(output.status.code(), Some(0 | 77)),
            "a run ended with {}:\n{words}",
            output.status
        );
        let last = words
            .lines()
            .find(|line| line.starts_with("dwindle: ") && line.contains(" executions in "))
            .context("a run does not say how it ended")?;
        let executions =
            number_before(last, " executions in").context("a run does not say how it ended")?;
        // Ticks of the system are hundredths of a second.
        Ok(Ended {
            executions,
            deaths: number_before(last, " death").unwrap_or(0.0),
            wall,
            processor: processor.max(0.01),
        })
    }
}

/// How many of the bugs of the target `twenty` are found, with everything on and without a switch,
/// side by side; summed over the seeds.
pub(super) fn bugs_at_once(
    binary: &Path,
    switch: &str,
    seeds: u64,
    time: Duration,
) -> Result<[f64; 2]> {
    let mut sums = [0.0; 2];
    for seed in 1..=seeds {
        let mut sides = ["", switch].map(|without| {
            let mut fuzz = Fuzz::of(binary, without).seconds(time.as_secs());
            fuzz.command.arg(format!("-seed={seed}"));
            fuzz
        });
        let children = [sides[0].start()?, sides[1].start()?];
        for ((child, fuzz), sum) in children.into_iter().zip(&sides).zip(&mut sums) {
            child.wait_with_output()?;
            *sum += fs::read_dir(fuzz.store.join("twenty")).context("a run made no store")?.count()
                as f64;
        }
    }
    Ok(sums)
}

/// How many candidates run in a second, of an input of the target `deadly` that ends so.
pub(super) fn candidates(binary: &Path, without: &str, way: &str) -> Result<f64> {
    Ok(rate(binary, without, way)?[0])
}

/// How many panicking candidates would run in a second if the worker had its own processor and no
/// process waited.
pub(super) fn worker_candidates(binary: &Path, without: &str) -> Result<f64> {
    Ok(1e6 / rate(binary, without, "panic")?[1])
}

/// How often a large input of the target `deadly` that panics is minimized.
const MINIMIZATIONS: usize = 8;

/// How many candidates of a large input run in a second of the processor, the start of processes
/// included.
pub(super) fn large_candidates(binary: &Path, without: &str) -> Result<f64> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let file = scratch.path().join("large");
    // Four thousand steps that do nothing, and a panic in their midst.
    let nothing = [1, 200].repeat(2000);
    fs::write(&file, [&nothing[..], &[2, 77], &nothing, &[0]].concat())?;
    let mut calls = 0.0;
    let before = children_seconds()?;
    for _ in 0..MINIMIZATIONS {
        let mut command = free(Command::new(binary));
        // To look for an answer takes processor time too, and none of the target's.
        command
            .arg(&file)
            .env("DWINDLE_MODE", "min")
            .env("DWINDLE_WITHOUT", format!("spinning,{without}"));
        command
            .env("DWINDLE_STORE", scratch.path().join("store"))
            .env("ASAN_OPTIONS", "detect_odr_violation=0");
        let output =
            command.output().with_context(|| format!("cannot start {}", binary.display()))?;
        let words = String::from_utf8_lossy(&output.stderr);
        calls += number_before(&words, " calls and")
            .with_context(|| format!("{} said {words}", binary.display()))?;
    }
    Ok(calls / (children_seconds()? - before).max(0.01))
}

/// Candidates a second, and the microseconds of the worker's processor for each.
fn rate(binary: &Path, without: &str, way: &str) -> Result<[f64; 2]> {
    let input: &[u8] = if way == "abort" { &[6, 10, 0] } else { &[2, 10, 0] };
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let file = scratch.path().join(way);
    fs::write(&file, input)?;
    let mut command = free(Command::new(binary));
    command
        .arg(&file)
        .env("DWINDLE_MODE", "rate")
        .env("DWINDLE_WITHOUT", without)
        .env("ASAN_OPTIONS", "detect_odr_violation=0");
    let output = command.output().with_context(|| format!("cannot start {}", binary.display()))?;
    let words = String::from_utf8_lossy(&output.stderr);
    let numbers =
        (number_before(&words, " candidates a second"), number_before(&words, " microseconds"));
    let ((Some(candidates), Some(microseconds)), true) =
        (numbers, output.status.success() && words.contains("fails"))
    else {
        anyhow::bail!("{} said {words}", binary.display());
    };
    Ok([candidates, microseconds])
}

/// The number that stands before these words.
fn number_before(text: &str, words: &str) -> Option<f64> {
    text[..text.find(words)?].rsplit(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
}

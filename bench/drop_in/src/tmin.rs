//! One file, minimized by one fuzzer.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use drop_in_values::Target;

use crate::fuzzers::command;

/// A crash file.
pub struct Start {
    pub target: Target,
    pub seed: String,
    pub path: PathBuf,
    pub input: Vec<u8>,
}

impl Start {
    /// The crash files of a target, by seed.
    pub fn all(target: Target, crashes: &Path) -> Result<Vec<Start>> {
        let folder = crashes.join(target.name());
        let mut starts = Vec::new();
        for entry in
            fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))?
        {
            let path = entry?.path();
            let input = fs::read(&path)?;
            ensure!(target.fails(&input), "{} does not fail", path.display());
            starts.push(Start { target, seed: entry_name(&path), path, input });
        }
        starts.sort_by_key(|start| start.seed.parse::<u64>().unwrap_or(u64::MAX));
        Ok(starts)
    }
}

fn entry_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a file came to.
pub struct End {
    pub input: Vec<u8>,
    pub time: Duration,
}

/// Limits dwindle to one candidate. What is left is the start of the process, and the new processes
/// in which the result must fail.
pub const NO_SHRINK: &[(&str, &str)] = &[("DWINDLE_BUDGET_CALLS", "1")];

/// Runs what `cargo fuzz tmin -r 100000` runs, with more variables. The time is the median of
/// `runs` runs.
pub fn minimized(
    fuzzer: &Path,
    start: &Start,
    variables: &[(&str, &str)],
    runs: usize,
) -> Result<End> {
    let mut ends = Vec::new();
    for _ in 0..runs {
        let scratch = tempfile::tempdir().context("making a temporary folder")?;
        let began = Instant::now();
        let output = command(fuzzer, scratch.path())
            .args(["-minimize_crash=1", "-runs=100000"])
            .arg(&start.path)
            .envs(variables.iter().copied())
            .output()
            .context("starting the minimizer")?;
        let time = began.elapsed();
        let mut files = fs::read_dir(scratch.path())?.flatten().map(|entry| entry.path());
        let input = match files.find(|path| entry_name(path).starts_with("minimized-from-")) {
            Some(file) => fs::read(file)?,
            // libFuzzer writes no file where it finds nothing smaller.
            None => start.input.clone(),
        };
        let log = String::from_utf8_lossy(&output.stderr);
        ensure!(
            start.target.fails(&input),
            "what {} came to does not fail:\n{log}",
            start.path.display()
        );
        ends.push(End { input, time });
    }
    ends.sort_by_key(|end| end.time);
    Ok(ends.swap_remove(runs / 2))
}

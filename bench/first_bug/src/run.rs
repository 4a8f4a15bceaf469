//! One run of one fuzzer, up to its first bug.

use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::build::Fuzzer;

/// What a run came to.
pub struct Run {
    pub target: &'static str,
    pub fuzzer: Fuzzer,
    pub seed: u64,
    pub executions: u64,
    pub seconds: f64,
    /// Nothing was found by the time the run was stopped, so the true number of executions is
    /// larger.
    pub censored: bool,
}

/// Both libFuzzer, when something failed, and dwindle end with this code.
const FAILED: i32 = 77;

impl Run {
    /// Fuzzes from an empty corpus with the default flags, but for what the kind of fuzzer says.
    pub fn of(
        folder: &Path,
        target: &'static str,
        fuzzer: Fuzzer,
        seed: u64,
        seconds_max: u64,
    ) -> Result<Run> {
        let scratch = tempfile::tempdir().context("making a temporary folder")?;
        let corpus = scratch.path().join("corpus");
        std::fs::create_dir(&corpus).context("making an empty corpus")?;
        let started = Instant::now();
        let output = Command::new(folder.join(fuzzer.binary(target)))
            .arg(format!("-seed={seed}"))
            .arg(format!("-max_total_time={seconds_max}"))
            .arg("-print_final_stats=1")
            .arg(format!("-artifact_prefix={}/", scratch.path().display()))
            .args((fuzzer == Fuzzer::LongTwin).then_some("-len_control=0"))
            .arg(&corpus)
            .current_dir(scratch.path())
            .env("DWINDLE_STOP", "first")
            .env("DWINDLE_STORE", scratch.path().join("store"))
            .output()
            .context("starting the fuzzer")?;
        let seconds = started.elapsed().as_secs_f64();
        let log = String::from_utf8_lossy(&output.stderr);
        let censored = match output.status.code() {
            Some(0) => true,
            Some(FAILED) => false,
            _ => bail!("the fuzzer ended with {}:\n{log}", output.status),
        };
        let executions = log
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))
            .and_then(|number| number.trim().parse().ok())
            .with_context(|| {
                format!("the fuzzer does not say how many executions it made:\n{log}")
            })?;
        Ok(Run { target, fuzzer, seed, executions, seconds, censored })
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Run { target, fuzzer, seed, executions, seconds, censored } = self;
        let end = if *censored { "nothing found" } else { "found" };
        write!(
            f,
            "{target} on {fuzzer}, seed {seed}: {end} after {executions} executions, {seconds:.1} s"
        )
    }
}

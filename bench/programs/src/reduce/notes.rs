//! What the runs of the oracle in other processes leave behind.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::counted::{adopt, children_time, wait_for_all};

/// Names the folder of the notes.
const FOLDER: &str = "PROGRAMS_NOTES";

/// Notes one run, which took `time` of the processor, and the input if it is the smallest that
/// fails. Without a folder for notes, it does nothing.
pub(super) fn add(input: &[u8], fails: bool, time: Duration) {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let smallest = folder.join("smallest");
    let is_smaller = || fs::metadata(&smallest).map_or(u64::MAX, |file| file.len());
    if fails && (input.len() as u64) < is_smaller() {
        let _ = fs::write(&smallest, input);
    }
    if let Ok(mut runs) = OpenOptions::new().create(true).append(true).open(folder.join("runs")) {
        let _ = writeln!(runs, "{}", time.as_micros());
    }
}

/// What a tool did.
pub(super) struct Notes {
    pub smallest: Vec<u8>,
    pub runs: u64,
    /// Processor time besides the oracle, and of the oracle.
    pub time: Duration,
    pub oracle_time: Duration,
    /// Whether the tool ended by itself.
    pub is_finished: bool,
}

/// A command that runs `program` for at most `limit`.
pub(super) fn limited(program: impl AsRef<OsStr>, limit: Duration) -> Command {
    let mut command = Command::new("timeout");
    command.arg(limit.as_secs().to_string()).arg(program);
    command
}

/// Runs a [limited] tool, which takes notes in `folder`.
pub(super) fn taken_by(tool: &mut Command, folder: &Path, limit: Duration) -> Result<Notes> {
    adopt();
    let began = children_time();
    let began_wall = Instant::now();
    let output = tool
        .current_dir(folder)
        .env(FOLDER, folder)
        .stdin(Stdio::null())
        .output()
        .context("starting the reducer")?;
    wait_for_all();
    let time = children_time().saturating_sub(began);
    // `timeout` ends with 124.
    let is_finished = output.status.success();
    ensure!(
        is_finished || output.status.code() == Some(124) || began_wall.elapsed() >= limit,
        "the reducer failed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let runs = fs::read_to_string(folder.join("runs")).context("the oracle never ran")?;
    let micros: Vec<u64> = runs.lines().filter_map(|line| line.parse().ok()).collect();
    let oracle_time = Duration::from_micros(micros.iter().sum());
    Ok(Notes {
        smallest: fs::read(folder.join("smallest")).context("nothing failed")?,
        runs: micros.len() as u64,
        time: time.saturating_sub(oracle_time),
        oracle_time,
        is_finished,
    })
}

//! Reducers of text: they start the oracle as a program.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::Reduced;
use crate::counted::{children_time, process_time};
use crate::oracle::{Oracle, Right};
use crate::start::Start;

const PICIRE: &str = "picire==21.8";
const CASE: &str = "case.wat";
/// Where the oracle notes its runs and the smallest text that fails.
const NOTES: &str = "PROGRAMS_NOTES";

/// A reducer of text.
#[derive(Clone, Copy)]
pub(super) enum Tool {
    Picire,
    Cvise,
}

pub(super) fn reduce(tool: Tool, start: Start, limit: Duration) -> Result<Reduced> {
    let module = start.module().context("the start makes no module")?;
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let scratch = scratch.path();
    let case = scratch.join(CASE);
    // Folded, one expression is one piece of text.
    let mut text = String::new();
    wasmprinter::Config::new()
        .fold_instructions(true)
        .print(&module, &mut wasmprinter::PrintFmtWrite(&mut text))?;
    fs::write(&case, text).context("writing the text")?;
    let script = scratch.join("oracle.sh");
    let program = std::env::current_exe()?;
    fs::write(
        &script,
        format!(
            "#!/bin/sh\nexec {} oracle {} ${{1:-{CASE}}}\n",
            program.display(),
            start.subject.right()
        ),
    )?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let mut command = Command::new("timeout");
    command.arg(limit.as_secs().to_string());
    match tool {
        Tool::Picire => {
            command.arg(picire());
            command.arg("-i").arg(&case).arg("--test").arg(&script);
            command.args(["--atom", "both", "--encoding", "utf-8", "--quiet", "--out"]);
            command.arg(scratch.join("out"));
        }
        Tool::Cvise => {
            command.args(["cvise", "--not-c", "--n", "1", "--timeout", "30"]);
            command.arg(&script).arg(CASE);
        }
    }
    let began = children_time();
    let began_wall = Instant::now();
    let output = command
        .current_dir(scratch)
        .env(NOTES, scratch)
        .stdin(Stdio::null())
        .output()
        .context("starting the reducer")?;
    let time = children_time().saturating_sub(began);
    // `timeout` ends with 124.
    let is_finished = output.status.success();
    ensure!(
        is_finished || output.status.code() == Some(124) || began_wall.elapsed() >= limit,
        "the reducer failed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let runs = fs::read_to_string(scratch.join("runs")).context("the oracle never ran")?;
    let micros: Vec<u64> = runs.lines().filter_map(|line| line.parse().ok()).collect();
    let oracle_time = Duration::from_micros(micros.iter().sum());
    let smallest = fs::read_to_string(scratch.join("smallest")).context("nothing failed")?;
    Ok(Reduced {
        module: wat::parse_str(smallest).context("the result is no text of a module")?,
        runs: micros.len() as u64,
        time: time.saturating_sub(oracle_time),
        oracle_time,
        is_finished,
    })
}

/// The oracle as a program: success if the versions disagree about the module that this text is.
///
/// # Errors
/// If the right version is not built.
pub fn oracle(right: Right, case: &Path) -> Result<ExitCode> {
    let oracle = Oracle::new(right)?;
    let text = fs::read_to_string(case).unwrap_or_default();
    let fails = wat::parse_str(&text).is_ok_and(|wasm| oracle.difference(&wasm).is_some());
    if let Some(notes) = std::env::var_os(NOTES).map(PathBuf::from) {
        let smallest = notes.join("smallest");
        let is_smaller = || fs::metadata(&smallest).map_or(u64::MAX, |file| file.len());
        if fails && (text.len() as u64) < is_smaller() {
            let _ = fs::write(&smallest, &text);
        }
        if let Ok(mut runs) = OpenOptions::new().create(true).append(true).open(notes.join("runs"))
        {
            let _ = writeln!(runs, "{}", process_time().as_micros());
        }
    }
    Ok(if fails { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/picire")
}

fn picire() -> PathBuf {
    folder().join("bin/picire")
}

pub(super) fn install_picire() -> Result<()> {
    if picire().is_file() {
        return Ok(());
    }
    let made = Command::new("python3").args(["-m", "venv"]).arg(folder()).status();
    ensure!(
        made.is_ok_and(|status| status.success()),
        "it needs python3 with its venv module (Debian: apt-get install python3-venv)"
    );
    let installed = Command::new(folder().join("bin/python"))
        .args(["-m", "pip", "install", "--quiet", PICIRE])
        .status();
    ensure!(
        installed.is_ok_and(|status| status.success()) && picire().is_file(),
        "it needs a network: run `{} -m pip install {PICIRE}` there",
        folder().join("bin/python").display()
    );
    Ok(())
}

pub(super) fn require_cvise() -> Result<()> {
    let is_there = Command::new("cvise").arg("--version").output().is_ok();
    ensure!(is_there, "it is not there (Debian: apt-get install cvise)");
    Ok(())
}

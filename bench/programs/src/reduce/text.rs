//! Reducers of text: they start the oracle as a program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::{Reduced, notes};
use crate::counted::process_time;
use crate::oracle::{Oracle, Right};
use crate::start::Start;

const PICIRE: &str = "picire==21.8";
const CASE: &str = "case.wat";

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
    let mut command;
    match tool {
        Tool::Picire => {
            command = notes::limited(picire(), limit);
            command.arg("-i").arg(&case).arg("--test").arg(&script);
            command.args(["--atom", "both", "--encoding", "utf-8", "--quiet", "--out"]);
            command.arg(scratch.join("out"));
        }
        Tool::Cvise => {
            command = notes::limited("cvise", limit);
            command.args(["--not-c", "--n", "1", "--timeout", "30"]);
            command.arg(&script).arg(CASE);
        }
    }
    let notes = notes::taken_by(&mut command, scratch, limit)?;
    let smallest = String::from_utf8(notes.smallest).context("the result is no text")?;
    Ok(Reduced {
        module: wat::parse_str(smallest).context("the result is no text of a module")?,
        runs: notes.runs,
        time: notes.time,
        oracle_time: notes.oracle_time,
        is_finished: notes.is_finished,
        course: Vec::new(),
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
    notes::add(text.as_bytes(), fails, process_time());
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

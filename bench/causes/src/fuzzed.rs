//! Fuzzes a program with `cargo dwindle run`, and reads the causes that the store then has.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use causes::program::{Faults, Program};
use clap::ValueEnum;
use serde_json::Value;

use crate::in_process::InProcess;

/// The fuzz crate, from the folder of this measurement.
const FUZZ_DIR: &str = "causes/fuzz";

/// What fuzzes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// `cargo dwindle run`: libFuzzer.
    Libfuzzer,
    /// `cargo dwindle run --engine random`.
    Random,
    /// `cargo dwindle run --engine afl`: AFL++.
    Afl,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Engine::Libfuzzer => "libfuzzer",
            Engine::Random => "random",
            Engine::Afl => "afl",
        }
    }
}

/// What a run kept of one program.
pub struct Kept {
    /// The faults that the input of each cause shows, one by one.
    pub shown: Vec<Vec<u32>>,
    /// The faults that the bug without its further causes shows: what one input for each bug keeps.
    pub first: Vec<u32>,
    /// Executions of the fuzzer.
    pub executions: u64,
}

/// Fuzzes `program` for some seconds.
///
/// # Errors
/// The target does not build, or the run does not end as one that saw a bug.
pub fn run(program: &Program, engine: Engine, seed: u64, seconds: u64) -> Result<Kept> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("bench has no folder")?;
    let root = bench.parent().context("the repository has no folder")?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let corpus = scratch.path().join("corpus");
    fs::create_dir(&corpus).context("cannot make a corpus")?;
    let store = scratch.path().join("store");
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(root)
        .args(["dwindle", "run", "program", "--json", "--engine", engine.name()])
        .args(["--max-time", &seconds.to_string()])
        .arg("--fuzz-dir")
        .arg(bench.join(FUZZ_DIR))
        .arg("--store")
        .arg(&store)
        .env("CAUSES_PROGRAM", program.name)
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null())
        .arg(&corpus);
    match engine {
        Engine::Libfuzzer => command
            .args(["--", &format!("-seed={}", seed + 1)])
            .arg(format!("-artifact_prefix={}/", scratch.path().display())),
        Engine::Random => command.args(["--", &format!("-seed={}", seed + 1)]),
        Engine::Afl => command.arg("--out").arg(scratch.path().join("out")).args([
            "--",
            "-s",
            &(seed + 1).to_string(),
        ]),
    };
    let output = command.output().context("cannot start cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.code() == Some(1),
        "the run of {} ended with {}:\n{said}\n{}",
        program.name,
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let mut events = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let end = events.find(|event| event["event"] == "end");
    let executions = end.and_then(|end| end["executions"].as_u64()).unwrap_or(0);
    let mut bugs = Vec::new();
    for bug in folders(&store.join("program"))? {
        if bug.join("report.json").is_file() {
            bugs.push(bug);
        }
    }
    let [bug] = &bugs[..] else { bail!("{} has {} bugs, not one", program.name, bugs.len()) };
    let first = shown(program, bug)?;
    let mut all = vec![first.clone()];
    for variant in folders(bug)? {
        let name = variant.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("variant-cause-") && is_a_cause(&variant)? {
            all.push(shown(program, &variant)?);
        }
    }
    Ok(Kept { shown: all, first, executions })
}

fn folders(inside: &Path) -> Result<Vec<std::path::PathBuf>> {
    let entries = fs::read_dir(inside).with_context(|| format!("{}", inside.display()))?;
    let mut folders: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    Ok(folders)
}

/// Whether a variant is a minimized cause, and no further form of another one.
fn is_a_cause(variant: &Path) -> Result<bool> {
    let report = fs::read(variant.join("report.json")).context("a cause has no report")?;
    let report: Value = serde_json::from_slice(&report).context("a report is damaged")?;
    Ok(report["status"] != "pending" && report["explanation"]["same_as"].is_null())
}

/// The faults that the input in this folder shows, when each is there alone.
fn shown(program: &Program, bug: &Path) -> Result<Vec<u32>> {
    let input = fs::read(bug.join("input")).context("a bug has no input")?;
    let fails = |fault: &u32| InProcess::new(*program, Faults::only(*fault)).fails(&input);
    Ok((0..program.faults).filter(fails).collect())
}

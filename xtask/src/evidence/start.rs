//! The processor time of a start, beside the twin on libfuzzer-sys: of all processes of a run
//! together, up to an execution or to the end.
//!
//! The target kills its process group when it is asked to (`xtask/tests/fixture/twins/start.rs`).
//! This process adopts and reaps what is left, so that their time counts.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process_group, set_child_subreaper, wait,
};
use serde_json::Value;

use crate::evidence::build::{self, FIXTURE};
use crate::evidence::median::median;
use crate::evidence::overhead::free;
use crate::steps::processor_time_of_children;
use crate::tools;

const ROUNDS: usize = 20;
/// Maximum milliseconds of the processor over libfuzzer-sys.
const OVER_MAX: f64 = 20.0;
const TARGET: &str = "start_ours";
const TWIN: &str = "start_base";
/// Inputs at which the target aborts, panics and stops.
const ABORTS: &[u8] = &[0xe7, 0x03];
const PANICS: &[u8] = &[0xd0, 0x07];
/// libFuzzer reads the inputs of a corpus by their size. So this one comes after the others.
const STOPS: &[u8] = &[0xb8, 0x0b, 0, 0];

/// What is started, and the execution up to which its time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Run,
    Start,
    FirstDeath,
    Snapshot,
    NextFuzzer,
    Minimizer,
    Min,
    Tmin,
    WholeTmin,
}

const ALL: [(What, &str); 9] = [
    (What::Run, "a run with `-runs=0`, to its end"),
    (What::Start, "a run, to the first execution"),
    (What::FirstDeath, "the first death of a bug, to the next execution"),
    (What::Snapshot, "a later death, to the next execution, by a snapshot"),
    (What::NextFuzzer, "a later death, to the next execution, by a new fuzzer"),
    (What::Minimizer, "a minimizer beside a fuzzer, to the first execution"),
    (What::Min, "`cargo dwindle min`, to the first execution"),
    (What::Tmin, "`cargo fuzz tmin`, to the first execution"),
    (What::WholeTmin, "`cargo fuzz tmin` of a minimal file, to its end"),
];

impl What {
    /// When the target stops the run.
    fn stop(self) -> Option<&'static str> {
        match self {
            What::Run | What::WholeTmin => None,
            What::FirstDeath | What::Snapshot | What::NextFuzzer => Some("at 3000"),
            _ => Some("at once"),
        }
    }
}

pub(super) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    set_child_subreaper(Some(getpid()))?;
    println!(
        "Milliseconds of the processor, medians of {ROUNDS} rounds. A death is what a run with it \
         takes beyond one without it.\n"
    );
    println!("| what | build | dwindle | libfuzzer-sys | over it |");
    println!("| --- | --- | --- | --- | --- |");
    let mut is_met = true;
    for (name, build) in [
        ("plain", build::plain as fn(&str, &str) -> Result<PathBuf>),
        ("AddressSanitizer", build::with_sanitizer),
    ] {
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let stage = Stage {
            ours: build(FIXTURE, TARGET)?,
            twin: build(FIXTURE, TWIN)?,
            folder: scratch.path().to_owned(),
        };
        stage.prepare()?;
        for (what, text) in ALL {
            let (ours, twin) = stage.medians(what)?;
            is_met &= ours - twin <= OVER_MAX;
            println!("| {text} | {name} | {ours:.1} | {twin:.1} | {:.1} |", ours - twin);
        }
    }
    println!("\nat most {OVER_MAX} over it: {}", if is_met { "met" } else { "MISSED" });
    Ok(())
}

/// The executables, and the files of their runs.
struct Stage {
    ours: PathBuf,
    twin: PathBuf,
    folder: PathBuf,
}

impl Stage {
    /// Makes the inputs, and stores both bugs. The panic is made to wait for its minimizer again.
    fn prepare(&self) -> Result<()> {
        for (name, input) in [("aborts", ABORTS), ("panics", PANICS)] {
            fs::write(self.folder.join(name), input)?;
        }
        for (name, deaths) in [("one-death", 1), ("two-deaths", 2)] {
            let corpus = self.folder.join(name);
            fs::create_dir(&corpus)?;
            for death in 0..deaths {
                fs::write(corpus.join(death.to_string()), [ABORTS, &[0][..death]].concat())?;
            }
            fs::write(corpus.join("stops"), STOPS)?;
        }
        for (store, input) in [("store", ABORTS), ("pending", PANICS)] {
            let corpus = self.folder.join(format!("corpus-{store}"));
            fs::create_dir(&corpus)?;
            fs::write(corpus.join("input"), input)?;
            let mut command = self.command(&self.ours, What::Run);
            let status = command.arg(corpus).env("DWINDLE_STORE", self.folder.join(store)).status();
            ensure!(status?.code() == Some(77), "the run does not end as one with a bug");
        }
        let report = self.pending()?.join("report.json");
        let mut pending: Value = serde_json::from_slice(&fs::read(&report)?)?;
        pending["status"] = "pending".into();
        fs::write(&report, pending.to_string()).context("cannot change the report")
    }

    /// The folder of the bug that waits for a minimizer.
    fn pending(&self) -> Result<PathBuf> {
        let bugs = fs::read_dir(self.folder.join("pending").join(TARGET))?;
        let mut bugs = bugs.flatten().map(|bug| bug.path());
        bugs.find(|path| path.join("report.json").is_file()).context("the run stored no bug")
    }

    fn command(&self, binary: &Path, what: What) -> Command {
        let mut command = free(Command::new(binary));
        command
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .env("ASAN_OPTIONS", "detect_odr_violation=0")
            .env("DWINDLE_STORE", self.folder.join("store"));
        if let Some(stop) = what.stop() {
            command.env("FIXTURE_STOP", stop);
        }
        match what {
            What::Minimizer | What::Min => &mut command,
            What::Tmin | What::WholeTmin => {
                command.args(["-minimize_crash=1", "-runs=100000", "panics"])
            }
            What::FirstDeath => command.args(["-runs=1000", "one-death"]),
            What::Snapshot | What::NextFuzzer => command.args(["-runs=1000", "two-deaths"]),
            What::Run | What::Start => command.arg("-runs=0"),
        };
        command
    }

    /// Milliseconds of the target and of its twin.
    fn medians(&self, what: What) -> Result<(f64, f64)> {
        let (mut ours, mut twin) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let without = match what {
                What::FirstDeath => self.ours(What::Start)?,
                What::Snapshot | What::NextFuzzer => self.without_last_death(what)?,
                _ => 0.0,
            };
            ours.push(self.ours(what)? - without);
            let same = match what {
                What::Run | What::Tmin | What::WholeTmin => what,
                _ => What::Start,
            };
            twin.push(Stage::time(same, self.command(&self.twin, same))?);
        }
        Ok((median(ours), median(twin)))
    }

    fn ours(&self, what: What) -> Result<f64> {
        let mut command = self.command(&self.ours, what);
        match what {
            What::Minimizer => {
                let bug = self.pending()?;
                command
                    .env("DWINDLE_MODE", "minimizer")
                    .env("DWINDLE_STORE", self.folder.join("pending"))
                    .env("DWINDLE_BUG", bug.file_name().context("the bug has no name")?)
            }
            What::Min => command.env("DWINDLE_MODE", "min").arg("panics"),
            What::NextFuzzer => command.env("DWINDLE_WITHOUT", "snapshots"),
            _ => &mut command,
        };
        Stage::time(what, command)
    }

    /// Milliseconds of the same run with the first death alone.
    fn without_last_death(&self, what: What) -> Result<f64> {
        let mut command = self.command(&self.ours, What::FirstDeath);
        if what == What::NextFuzzer {
            command.env("DWINDLE_WITHOUT", "snapshots");
        }
        Stage::time(What::FirstDeath, command)
    }

    /// Milliseconds of the processor that a command takes, with all processes that it starts.
    fn time(what: What, mut command: Command) -> Result<f64> {
        let before = milliseconds_of_children();
        let mut child = command.spawn().context("cannot start the target")?;
        let status = child.wait()?;
        if let Some(group) = Pid::from_raw(child.id() as i32) {
            // Usually no process of the group is left.
            let _ = kill_process_group(group, Signal::KILL);
        }
        while wait(WaitOptions::empty()).is_ok() {}
        ensure!(
            status.code().is_none() == what.stop().is_some(),
            "{what:?}: {command:?} ended with {status} instead of in its execution"
        );
        Ok(milliseconds_of_children() - before)
    }
}

/// Milliseconds of the processor that the reaped processes took.
pub(super) fn milliseconds_of_children() -> f64 {
    processor_time_of_children().as_secs_f64() * 1e3
}

//! Figure 1: each kept input fails again in new processes, as its report says, and overflows of the
//! stack are as shallow as they can be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::evidence::build::{self, FIXTURE};
use crate::tools;

/// The ways of the targets `ends` and `ends_bytes` by their numbers, and whether they show without
/// a sanitizer.
const WAYS: [(u8, &str, bool); 29] = [
    (1, "panic", true),
    (2, "caught panic", true),
    (3, "panic in a thread", true),
    (4, "double panic", true),
    (5, "abort", true),
    (6, "segv", true),
    (7, "ill", true),
    (8, "fpe", true),
    (9, "bus", true),
    (10, "trap", true),
    (11, "sys", true),
    (12, "kill", true),
    (13, "segv without a handler", true),
    (14, "exit 0", true),
    (15, "exit 1", true),
    (16, "exit -1", true),
    (17, "overflow by recursion", true),
    (18, "overflow by drop", true),
    (19, "overflow by debug", true),
    (20, "overflow in a thread", true),
    (21, "heap overflow", false),
    (22, "use after free", false),
    (23, "double free", true),
    (24, "overflow of a local", false),
    (25, "use after return", false),
    (26, "leak", false),
    (27, "endless loop", true),
    (28, "endless sleep", true),
    (29, "endless allocation", true),
];
/// Those whose number is a depth.
const DEPTHS: std::ops::RangeInclusive<u8> = 17..=20;
/// Those of which each run takes seconds, most of which it sleeps or may share.
const HANGS: std::ops::RangeInclusive<u8> = 27..=28;
/// A depth that overflows every stack.
const DEEP: u32 = 900_000;
const NUMBER: u32 = 77_777;
/// How often each command is run: by turns as it is, with a large environment, and with a low
/// priority.
const RUNS: usize = 20;
const LARGE: usize = 64 << 10;
/// How much deeper than the least depth an overflow may end.
const DEEPER_MAX: f64 = 1.03;

pub(super) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    println!(
        "| build | target | way | status | calls | depth | least depth | the printed command fails \
         | the same id |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let (mut cases, mut wrong) = (0, Vec::new());
    for target in ["ends", "ends_bytes"] {
        for (name, binary) in [
            ("plain", build::plain(FIXTURE, target)?),
            ("AddressSanitizer", build::with_sanitizer(FIXTURE, target)?),
        ] {
            for (way, what, shows_plain) in WAYS {
                if name == "plain" && !shows_plain
                    || !super::is_wanted(&format!("{name} {target} {what}"))
                {
                    continue;
                }
                cases += 1;
                match one((name, target, &binary), way, what) {
                    Ok(true) => {}
                    Ok(false) => wrong.push(format!("{name} {target} {what}")),
                    Err(error) => {
                        println!("| {name} | {target} | {what} | {error:#} | | | | | |");
                        wrong.push(format!("{name} {target} {what}"));
                    }
                }
            }
        }
    }
    if wrong.is_empty() {
        println!("\nmet: {cases} of {cases}");
    } else {
        println!(
            "\nnot met: {} of {cases} are not as they should be: {}",
            wrong.len(),
            wrong.join(", ")
        );
    }
    Ok(())
}

/// One way, minimized and run again; whether all is as it should be.
fn one((build, target, binary): (&str, &str, &Path), way: u8, what: &str) -> Result<bool> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let is_depth = DEPTHS.contains(&way);
    let file = scratch.path().join("crash");
    fs::write(&file, input(way, if is_depth { DEEP } else { NUMBER }))?;
    let kept = Kept::minimized(binary, &file, scratch.path())?;
    let depth = is_depth.then(|| kept.number()).transpose()?;
    let least = is_depth.then(|| least_depth(binary, way, scratch.path())).transpose()?;
    let fails = count(RUNS, HANGS.contains(&way), |surroundings| {
        Ok(!kept.run(binary, surroundings)?.success())
    })?;
    let same =
        count(RUNS, HANGS.contains(&way), |surroundings| kept.shows_its_id(binary, surroundings))?;
    let shown =
        |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    println!(
        "| {build} | {target} | {what} | {} | {} | {} | {} | {fails} of {RUNS} | {same} of {RUNS} \
         |",
        kept.status,
        kept.calls,
        shown(depth),
        shown(least)
    );
    let is_shallow = depth
        .zip(least)
        .is_none_or(|(depth, least)| f64::from(depth) <= f64::from(least) * DEEPER_MAX);
    Ok(fails == RUNS && same == RUNS && is_shallow && kept.status == "minimized")
}

fn input(way: u8, number: u32) -> Vec<u8> {
    [&[way][..], &number.to_le_bytes()].concat()
}

/// The least depth that fails in a new process, found by bisection.
fn least_depth(binary: &Path, way: u8, folder: &Path) -> Result<u32> {
    let file = folder.join("depth");
    let (mut passes, mut fails) = (0, DEEP);
    while fails - passes > 1 {
        let middle = u32::midpoint(passes, fails);
        fs::write(&file, input(way, middle))?;
        let status = Surroundings::Plain
            .command(binary)
            .arg(&file)
            .arg("-exact_artifact_path=/dev/null")
            .status()?;
        if status.success() {
            passes = middle;
        } else {
            fails = middle;
        }
    }
    Ok(fails)
}

/// What a command finds around it.
#[derive(Clone, Copy)]
enum Surroundings {
    Plain,
    LargeEnvironment,
    LowPriority,
}

impl Surroundings {
    fn of(run: usize) -> Surroundings {
        [Surroundings::Plain, Surroundings::LargeEnvironment, Surroundings::LowPriority][run % 3]
    }

    fn command(self, binary: &Path) -> Command {
        let mut command = match self {
            Surroundings::LowPriority => {
                let mut nice = Command::new("nice");
                nice.arg(binary);
                nice
            }
            _ => Command::new(binary),
        };
        if let Surroundings::LargeEnvironment = self {
            command.env("LARGE", "x".repeat(LARGE));
        }
        // As cargo-fuzz sets it.
        command
            .env("ASAN_OPTIONS", "detect_odr_violation=0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

/// A bug as the minimizer says it is kept.
struct Kept {
    id: String,
    input: PathBuf,
    /// What the command that is printed says behind the file.
    arguments: Vec<String>,
    status: String,
    calls: u64,
    folder: PathBuf,
}

impl Kept {
    fn minimized(binary: &Path, file: &Path, folder: &Path) -> Result<Kept> {
        let mut command = Surroundings::Plain.command(binary);
        let output = command
            .arg(file)
            .env("DWINDLE_MODE", "min")
            .env("DWINDLE_STORE", folder.join("store"))
            .current_dir(folder);
        let output = output.stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
        let words =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let Some(reproduce) =
            words.lines().find_map(|line| line.trim_start().strip_prefix("reproduce: "))
        else {
            bail!("nothing fails: {words}")
        };
        let (command, arguments) = reproduce.split_once(" -- ").unwrap_or((reproduce, ""));
        let input = folder.join(command.rsplit(' ').next().unwrap_or_default());
        let report: serde_json::Value =
            serde_json::from_slice(&fs::read(input.with_file_name("report.json"))?)?;
        Ok(Kept {
            id: report["bug_id"].as_str().context("a report has an id")?.to_owned(),
            input,
            arguments: arguments.split_whitespace().map(str::to_owned).collect(),
            status: report["status"].as_str().unwrap_or_default().to_owned(),
            calls: report["calls"].as_u64().unwrap_or_default(),
            folder: folder.to_owned(),
        })
    }

    fn number(&self) -> Result<u32> {
        let input = fs::read(&self.input)?;
        ensure!(!input.is_empty() && input.len() <= 5, "{input:?} is no way and a number");
        let mut number = [0; 4];
        number[..input.len() - 1].copy_from_slice(&input[1..]);
        Ok(u32::from_le_bytes(number))
    }

    /// The command that the report prints, without cargo around it.
    fn run(&self, binary: &Path, surroundings: Surroundings) -> Result<ExitStatus> {
        let mut command = surroundings.command(binary);
        command
            .arg(&self.input)
            .args(&self.arguments)
            .arg("-exact_artifact_path=/dev/null")
            .current_dir(&self.folder);
        Ok(command.status()?)
    }

    /// Whether `cargo dwindle show` names the same bug, again without cargo.
    fn shows_its_id(&self, binary: &Path, surroundings: Surroundings) -> Result<bool> {
        let mut command = surroundings.command(binary);
        command
            .arg(&self.input)
            .env("DWINDLE_MODE", "show")
            .current_dir(&self.folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let output = command.output()?;
        let words =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        Ok(words.contains(&format!("bug {}", self.id)))
    }
}

/// Makes `runs` runs and counts those that are as they should be. `at_once` is for runs that each
/// take long.
fn count(
    runs: usize,
    at_once: bool,
    run: impl Fn(Surroundings) -> Result<bool> + Sync,
) -> Result<usize> {
    if !at_once {
        return (0..runs).map(|number| Ok(usize::from(run(Surroundings::of(number))?))).sum();
    }
    thread::scope(|scope| {
        let runs: Vec<_> = (0..runs)
            .map(|number| {
                scope.spawn({
                    let run = &run;
                    move || run(Surroundings::of(number))
                })
            })
            .collect();
        runs.into_iter()
            .map(|run| Ok(usize::from(run.join().map_err(|_| anyhow::anyhow!("a run panicked"))??)))
            .sum()
    })
}

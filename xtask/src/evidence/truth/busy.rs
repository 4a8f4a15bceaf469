//! Limits on a busy machine: a run ends soon after its time, and a shrink comes as far as on a
//! quiet one.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::evidence::build::{self, FIXTURE};
use crate::evidence::median::median;
use crate::tools;

/// How many processes compute beside it, on how many cores.
const BUSY: usize = 16;
const CORES: &str = "0,1";
const RUNS: u64 = 20;
const SECONDS: u64 = 20;
const OVERRUN_MAX: u64 = 10;
/// Processor time for a shrink, in seconds: one that does not come to its end, and what it has by
/// default.
const BUDGETS: [&str; 2] = ["0.02", "10"];
/// How often each is shrunk; the median counts.
const SHRINKS: usize = 5;
/// Of a budget that is used up, this much more is allowed for on a busy machine: its caches are
/// shared.
const SLACK: f64 = 1.1;

pub(crate) fn measure() -> Result<()> {
    let twenty = build::plain(FIXTURE, "twenty")?;
    let distinct = build::plain(FIXTURE, "distinct")?;
    let pinned = Command::new("taskset")
        .args(["-p", "-c", CORES, &std::process::id().to_string()])
        .output()
        .context("cannot start taskset")?;
    ensure!(pinned.status.success(), "this process cannot be kept to the cores {CORES}");
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let input = scratch.path().join("input");
    fs::write(&input, four_hundred_choices())?;

    let quiet = shrinks(&distinct, &input, scratch.path())?;
    let load = Load::start()?;
    let busy = shrinks(&distinct, &input, scratch.path())?;
    let ends = runs(&twenty, scratch.path())?;
    drop(load);

    println!(
        "| processor time in s | machine | choices | calls | s | status |\n| --- | --- | --- | --- \
         | --- | --- |"
    );
    let mut are_as_far = true;
    for ((budget, quiet), busy) in BUDGETS.iter().zip(&quiet).zip(&busy) {
        for (machine, shrunk) in [("quiet", quiet), ("busy", busy)] {
            println!(
                "| {budget} | {machine} | {} | {} | {} | {} |",
                shrunk.choices, shrunk.calls, shrunk.seconds, shrunk.status
            );
        }
        are_as_far &= busy.choices as f64 <= quiet.choices as f64 * SLACK;
    }
    println!(
        "\n| runs of {SECONDS} s | the longest, in s | the median | exit codes | with bugs left \
         pending, all of them said |\n| --- | --- | --- | --- | --- |"
    );
    let times = ends.iter().map(|end| end.took.as_secs_f64());
    let longest = times.clone().fold(0.0, f64::max);
    let mut codes: Vec<_> = ends
        .iter()
        .map(|end| end.code.map_or_else(|| "-".to_owned(), |code| code.to_string()))
        .collect();
    codes.sort();
    codes.dedup();
    let is_said = ends.iter().all(|end| end.pending == 0 || end.says_so);
    let pending = ends.iter().filter(|end| end.pending > 0).count();
    println!("| {RUNS} | {longest:.1} | {:.1} | {} | {pending} |", median(times), codes.join(", "));
    let are_in_time = longest <= (SECONDS + OVERRUN_MAX) as f64;
    println!(
        "\nruns end in time: {}; a shrink comes as far: {}",
        yes(are_in_time && is_said),
        yes(are_as_far)
    );
    println!(
        "the figure is {}",
        if are_in_time && is_said && are_as_far { "met" } else { "NOT met" }
    );
    Ok(())
}

fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "NO" }
}

/// A list of 200 numbers, 150 of them different.
fn four_hundred_choices() -> Vec<u8> {
    (0..200_u16).flat_map(|number| [1, (number % 150) as u8, 7 + (number % 5) as u8]).collect()
}

/// What a shrink came to.
struct Shrunk {
    choices: u64,
    calls: String,
    seconds: String,
    status: String,
}

fn shrinks(binary: &Path, input: &Path, scratch: &Path) -> Result<Vec<Shrunk>> {
    let median = |budget: &&str| {
        let mut shrunk = (0..SHRINKS)
            .map(|_| shrink(binary, input, scratch, budget))
            .collect::<Result<Vec<_>>>()?;
        shrunk.sort_by_key(|shrunk| shrunk.choices);
        Ok(shrunk.swap_remove(SHRINKS / 2))
    };
    BUDGETS.iter().map(median).collect()
}

/// Minimizes the input as `cargo fuzz tmin` does.
fn shrink(binary: &Path, input: &Path, scratch: &Path, budget: &str) -> Result<Shrunk> {
    let mut command = Command::new(binary);
    command
        .args([
            "-minimize_crash=1",
            &format!("-exact_artifact_path={}", scratch.join("small").display()),
        ])
        .arg(input);
    let output = command
        .env("DWINDLE_BUDGET_SECONDS", budget)
        .output()
        .context("cannot start the target")?;
    let words = String::from_utf8_lossy(&output.stderr);
    // `401 choices (600 bytes) became 17 choices (17 bytes) in 25 calls and 0.63 s: minimized`
    let parse = |line: &str| {
        let (_, after) = line.split_once(" became ")?;
        let (choices, rest) = after.split_once(" choice")?;
        let (calls, rest) = rest.split_once(" in ")?.1.split_once(" calls and ")?;
        let (seconds, status) = rest.split_once(" s: ")?;
        Some(Shrunk {
            choices: choices.parse().ok()?,
            calls: calls.to_owned(),
            seconds: seconds.to_owned(),
            status: status.to_owned(),
        })
    };
    words.lines().find_map(parse).with_context(|| format!("the target said {words}"))
}

/// How a run ended.
struct End {
    took: Duration,
    code: Option<i32>,
    pending: usize,
    says_so: bool,
}

fn runs(binary: &Path, scratch: &Path) -> Result<Vec<End>> {
    (0..RUNS).map(|seed| run(binary, scratch, seed)).collect()
}

/// `cargo dwindle run --max-time`, with an empty corpus and an empty store.
fn run(binary: &Path, scratch: &Path, seed: u64) -> Result<End> {
    let target =
        binary.file_name().and_then(|name| name.to_str()).context("the target has no name")?;
    let folder = scratch.join(format!("run-{seed}"));
    fs::create_dir_all(folder.join("corpus"))?;
    let mut command = tools::cargo();
    command
        .args(["dwindle", "run", target, "--fuzz-dir", FIXTURE, "--max-time", &SECONDS.to_string()])
        .arg(folder.join("corpus"));
    command.arg("--store").arg(folder.join("store")).args(["--", &format!("-seed={}", seed + 1)]);
    command.arg(format!("-artifact_prefix={}/", folder.display())).env_remove("CARGO_TARGET_DIR");
    let began = Instant::now();
    let output = command.output().context("cannot start cargo")?;
    let took = began.elapsed();
    let reports = fs::read_dir(folder.join("store").join(target))
        .into_iter()
        .flatten()
        .flatten()
        .map(|bug| bug.path().join("report.json"));
    let is_pending = |path: &Path| {
        fs::read_to_string(path).is_ok_and(|report| {
            report.contains("\"status\": \"pending\"") || report.contains("\"status\":\"pending\"")
        })
    };
    let pending = reports.filter(|path| is_pending(path)).count();
    let says_so =
        String::from_utf8_lossy(&output.stdout).contains("left for the next run to minimize");
    Ok(End { took, code: output.status.code(), pending, says_so })
}

/// Processes that compute until this is dropped.
struct Load(Vec<Child>);

impl Load {
    fn start() -> Result<Load> {
        let mut load = Load(Vec::new());
        for _ in 0..BUSY {
            let mut command = Command::new("sh");
            command.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
            load.0.push(command.spawn().context("cannot start sh")?);
        }
        Ok(load)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

//! Crash files of the real-crate targets, minimized one by one; beside the minimizers that come
//! with the fuzzers.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::evidence::median::median;
use crate::evidence::{build, tmin};
use crate::tools;

const FUZZ: &str = "fuzz";
const TARGETS: [&str; 5] = [
    "graphmap_remove_node",
    "roaring_remove",
    "decimal_expr",
    "url_setters",
    "smallvec_insert_many",
];
/// Crash files of each target; two hundred in all.
const FILES: usize = 40;
/// How many of them the other minimizers are given too.
const BESIDE: usize = 4;
/// The most executions of one seed. The measurement leaves out a seed that finds nothing within
/// them.
const RUNS: u64 = 200_000;
const SEEDS: u64 = 200;

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let scratch = scratch.path();
    let beside = all_files(scratch)?;
    beside_others(beside, scratch)
}

/// Minimizes all files with dwindle. Returns the files that the other minimizers get too.
fn all_files(scratch: &Path) -> Result<Vec<Case>> {
    println!(
        "`cargo dwindle min` on each of {FILES} crash files a target, as stock libFuzzer leaves \
         them (one a seed, DWINDLE=off), plain build:\n"
    );
    println!(
        "| target | files | bytes before, median | choices before | bytes | choices | seconds, \
         median | at most | bugs |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut beside = Vec::new();
    let mut seconds = Vec::new();
    for target in TARGETS {
        let files = crash_files(target, &scratch.join(target))?;
        let minimized: Vec<Tried> =
            files.iter().map(|file| by_dwindle(target, file, scratch)).collect::<Result<_>>()?;
        let before: Vec<Shown> =
            files.iter().map(|file| show(target, file)).collect::<Result<_>>()?;
        let mut bugs: Vec<&str> = minimized.iter().map(|tried| tried.shown.bug.as_str()).collect();
        bugs.sort_unstable();
        bugs.dedup();
        let most = minimized.iter().map(|tried| tried.took).max().unwrap_or_default().as_secs_f64();
        println!(
            "| {target} | {} | {} | {} | {} | {} | {:.2} | {most:.2} | {} |",
            files.len(),
            median(before.iter().map(|shown| shown.bytes)),
            median(before.iter().map(|shown| shown.choices)),
            median(minimized.iter().map(|tried| tried.shown.bytes)),
            median(minimized.iter().map(|tried| tried.shown.choices)),
            median(minimized.iter().map(|tried| tried.took)).as_secs_f64(),
            bugs.len()
        );
        seconds.extend(minimized.iter().map(|tried| tried.took));
        beside.extend(
            files
                .into_iter()
                .zip(before)
                .zip(minimized)
                .take(BESIDE)
                .map(|((file, before), ours)| Case { target, file, before, ours }),
        );
    }
    println!(
        "\n{} files, {:.2} seconds in the middle, cargo's own included.\n",
        seconds.len(),
        median(seconds.iter().copied()).as_secs_f64()
    );
    Ok(beside)
}

/// Minimizes files with the minimizers that come with the fuzzers.
fn beside_others(cases: Vec<Case>, scratch: &Path) -> Result<()> {
    println!(
        "Beside the others. Bytes / choices that the target makes of them / characters of the \
         value as it is printed; seconds as typed, builds made before.\n"
    );
    println!(
        "| target | before | `cargo dwindle min` | s | `cargo fuzz tmin` (DWINDLE=off) | s | \
         `cargo afl tmin` | s |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for Case { target, file, before, ours } in cases {
        let executable = tmin::build_for_afl(FUZZ, target)?;
        build::with_sanitizer(FUZZ, target)?;
        let by_libfuzzer =
            tried(target, scratch, || tmin::cargo_fuzz(FUZZ, target, &file, scratch, true))?;
        let by_afl = tried(target, scratch, || tmin::cargo_afl(&executable, &file, scratch))?;
        let bug = before.bug.clone();
        let cells = [&ours, &by_libfuzzer, &by_afl]
            .map(|tried| format!("{} | {:.2}", tried.shown.cell(&bug), tried.took.as_secs_f64()));
        println!("| {target} | {} | {} |", before.cell(&bug), cells.join(" | "));
        for (times, tried) in times.iter_mut().zip([ours, by_libfuzzer, by_afl]) {
            times.push(tried.took);
        }
    }
    let [ours, libfuzzer, afl] = times.map(|times| median(times.iter().copied()).as_secs_f64());
    println!(
        "\nSeconds in the middle: `cargo dwindle min` {ours:.2}, `cargo fuzz tmin` {libfuzzer:.2}, \
         `cargo afl tmin` {afl:.2}."
    );
    Ok(())
}

/// A file as the target sees it.
struct Shown {
    bytes: usize,
    choices: u64,
    /// Of all draws, as they are printed.
    characters: usize,
    /// The bug it shows; nothing if it does not fail.
    bug: String,
}

impl Shown {
    fn cell(&self, bug: &str) -> String {
        let slipped = if self.bug == bug {
            ""
        } else if self.bug.is_empty() {
            ", does not fail"
        } else {
            ", another bug"
        };
        format!("{} / {} / {}{slipped}", self.bytes, self.choices, self.characters)
    }
}

/// What a minimizer came to.
struct Tried {
    shown: Shown,
    took: Duration,
}

/// A crash file, and what dwindle made of it.
struct Case {
    target: &'static str,
    file: PathBuf,
    before: Shown,
    ours: Tried,
}

/// One crash file a seed, each by a run of libFuzzer as it is without dwindle.
fn crash_files(target: &str, folder: &Path) -> Result<Vec<PathBuf>> {
    let executable = build::plain(FUZZ, target)?;
    fs::create_dir_all(folder).context("cannot make a temporary folder")?;
    for seed in 1..=SEEDS {
        let mut command = std::process::Command::new(&executable);
        command.args([
            format!("-seed={seed}"),
            format!("-runs={RUNS}"),
            format!("-artifact_prefix={}/", folder.display()),
        ]);
        command
            .env("DWINDLE", "off")
            .output()
            .with_context(|| format!("cannot start {}", executable.display()))?;
        if fs::read_dir(folder)?.count() == FILES {
            break;
        }
    }
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    ensure!(
        files.len() == FILES,
        "{SEEDS} seeds of {target} leave {} crash files of {FILES}",
        files.len()
    );
    Ok(files)
}

fn by_dwindle(target: &str, file: &Path, scratch: &Path) -> Result<Tried> {
    let store = scratch.join("store");
    if store.exists() {
        fs::remove_dir_all(&store)?;
    }
    tried(target, scratch, || {
        let mut command = tools::cargo();
        command.args(["dwindle", "min", target]).arg(file).args(["--json", "--store"]).arg(&store);
        let output =
            command.env_remove("CARGO_TARGET_DIR").output().context("cannot start cargo")?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(
            output.status.code() == Some(1),
            "`cargo dwindle min` of {} ended with {}:\n{said}",
            file.display(),
            output.status
        );
        let mut events = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let end =
            events.find(|event| event["event"] == "minimized").context("nothing was minimized")?;
        let folder = end["directory"].as_str().context("the bug has no folder")?;
        Ok(fs::read(Path::new(folder).join("input"))?)
    })
}

/// Takes the time of a minimizer, and looks at what it made.
fn tried(
    target: &str,
    scratch: &Path,
    minimize: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<Tried> {
    let began = Instant::now();
    let made = minimize()?;
    let took = began.elapsed();
    let file = scratch.join("made");
    fs::write(&file, made)?;
    Ok(Tried { shown: show(target, &file)?, took })
}

fn show(target: &str, file: &Path) -> Result<Shown> {
    let output = tools::cargo()
        .args(["dwindle", "show", target])
        .arg(file)
        .args(["--json"])
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .context("cannot start cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let events: Vec<Value> =
        said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let text = |event: &Value| event["text"].as_str().unwrap_or_default().to_owned();
    let draws = events
        .iter()
        .filter(|event| event["event"] == "draw")
        .map(|event| text(event).chars().count() - "draw  ".len());
    let outcome = events
        .iter()
        .find(|event| event["event"] == "outcome")
        .with_context(|| format!("{} is not shown:\n{said}", file.display()))?;
    Ok(Shown {
        bytes: fs::metadata(file)?.len() as usize,
        choices: outcome["choices"].as_u64().unwrap_or(0),
        characters: draws.sum(),
        bug: text(outcome)
            .lines()
            .find_map(|line| line.strip_prefix("bug ").map(str::to_owned))
            .unwrap_or_default(),
    })
}

//! Ten thousand crash files of five bugs, triaged; and what it would take to minimize each of them
//! alone.

mod memory;

use std::collections::BTreeMap;
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use self::memory::{MARKER, Memory};
use crate::crashes::{self, KINDS, TARGET};
use crate::evidence::build::{self, FIXTURE};
use crate::evidence::tmin;
use crate::tools;

const FILES: usize = 10_000;
const SEED: u64 = 1;
/// How many of them are minimized one by one; the rest is reckoned.
const ALONE: usize = 20;
/// At most so long, on two cores that have nothing else to do, and at most so much memory in all.
const GOAL: (Duration, u64) = (Duration::from_mins(1), 300);

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    tools::require_nightly()?;
    build::plain(FIXTURE, TARGET)?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let (files, store) = (scratch.path().join("files"), scratch.path().join("store"));
    crashes::write(&files, FILES, SEED)?;
    println!(
        "{FILES} crash files of {} bugs (seed {SEED}), plain build, {} cores:\n",
        KINDS.len(),
        thread::available_parallelism()?
    );
    println!(
        "| | seconds | contents run | known | peak of all processes, MiB (own memory; with what \
         they share) |\n| --- | --- | --- | --- | --- |"
    );
    let first = triage("the first time", &files, &store)?;
    let before = tree(&store)?;
    triage("again", &files, &store)?;
    let is_same = tree(&store)? == before;
    println!(
        "\nthe store after the second time is {}",
        if is_same { "the same, byte for byte" } else { "NOT THE SAME" }
    );
    let (seconds, megabytes) = first;
    let is_met = seconds <= GOAL.0 && megabytes <= GOAL.1;
    println!(
        "goal: {} s and {} MiB: {}\n",
        GOAL.0.as_secs(),
        GOAL.1,
        if is_met { "met" } else { "MISSED" }
    );
    bugs(&store)?;

    println!(
        "\nEach file alone, {ALONE} of them, and what all {FILES} would take:\n\n| | seconds for a \
         file | hours for all | mean size, bytes |\n| --- | --- | --- | --- |"
    );
    let folder = files.join("artifacts");
    let mut alone: Vec<PathBuf> =
        fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    alone.sort();
    alone.truncate(ALONE);
    let executable = tmin::build_for_afl(FIXTURE, TARGET)?;
    let by_libfuzzer =
        |file: &Path, is_off| tmin::cargo_fuzz(FIXTURE, TARGET, file, scratch.path(), is_off);
    one_by_one("`cargo fuzz tmin` as it is without dwindle (DWINDLE=off)", &alone, |file| {
        by_libfuzzer(file, true)
    })?;
    one_by_one("`cargo fuzz tmin` with dwindle", &alone, |file| by_libfuzzer(file, false))?;
    one_by_one("`cargo afl tmin`", &alone, |file| {
        tmin::cargo_afl(&executable, file, scratch.path())
    })
}

/// One triage: how long it took, and the memory of all its processes at the worst moment.
fn triage(name: &str, files: &Path, store: &Path) -> Result<(Duration, u64)> {
    let mut command = tools::cargo();
    command
        .args(["dwindle", "triage", TARGET, "--fuzz-dir", FIXTURE, "--json"])
        .arg(files)
        .arg("--store")
        .arg(store);
    let began = Instant::now();
    let mut child = command
        .env(MARKER, "1")
        .env_remove("CARGO_TARGET_DIR")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start cargo")?;
    let stdout = child.stdout.take().context("cargo has no output")?;
    let is_over = AtomicBool::new(false);
    let (end, memory) = thread::scope(|scope| {
        let watcher = scope.spawn(|| Memory::most_until(&is_over));
        // The events are read as they come: of ten thousand files they are many.
        let events = std::io::BufReader::new(stdout)
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let end = events.filter(|event| event["event"] == "end").last();
        let status = child.wait();
        is_over.store(true, Ordering::Release);
        (status.map(|status| (status, end)), watcher.join().unwrap_or_default())
    });
    let took = began.elapsed();
    let (status, end) = end.context("cannot wait for cargo")?;
    ensure!(status.code() == Some(1), "`cargo dwindle triage` ended with {status}");
    let end = end.context("the triage does not say how it ended")?;
    println!(
        "| {name} | {:.1} | {} | {} | {}; {} |",
        took.as_secs_f64(),
        end["run"],
        end["known"],
        memory.own,
        memory.resident
    );
    Ok((took, memory.own))
}

/// The table of the bugs in the store; an error if they are not those that the files were made for.
fn bugs(store: &Path) -> Result<()> {
    println!(
        "| bug | kind | contents | draws | choices | status |\n| --- | --- | --- | --- | --- | --- \
         |"
    );
    let mut folders: Vec<PathBuf> =
        fs::read_dir(store.join(TARGET))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    folders.sort();
    let mut kinds = Vec::new();
    let mut total = 0;
    for folder in folders {
        let report: Value = serde_json::from_slice(&fs::read(folder.join("report.json"))?)?;
        let records = fs::read_dir(folder.join("contents"))?
            .map(|record| Ok(fs::read_to_string(record?.path())?.lines().count() - 1));
        let contents: usize = records.sum::<Result<usize>>()?;
        ensure!(contents == FILES / KINDS.len(), "{} has {contents} contents", folder.display());
        total += contents;
        println!(
            "| {} | {} | {contents} | `{}` | {} | {} |",
            report["bug_id"],
            report["kind"],
            report["value"][0],
            report["minimized_choices"],
            report["status"]
        );
        kinds.push(report["kind"].as_str().unwrap_or_default().to_owned());
    }
    kinds.sort();
    let mut expected = KINDS.map(str::to_owned);
    expected.sort();
    ensure!(kinds == expected && total == FILES, "the store holds {kinds:?} with {total} contents");
    println!(
        "\n{} bugs, each with its {} contents: {total} in all, none lost and none counted twice",
        kinds.len(),
        FILES / KINDS.len()
    );
    Ok(())
}

/// Minimizes files one after the other.
fn one_by_one(
    name: &str,
    files: &[PathBuf],
    minimize: impl Fn(&Path) -> Result<Vec<u8>>,
) -> Result<()> {
    // What is to be built is built now.
    minimize(&files[0])?;
    let began = Instant::now();
    let sizes: u64 =
        files.iter().map(|file| Ok(minimize(file)?.len() as u64)).sum::<Result<u64>>()?;
    let seconds = began.elapsed().as_secs_f64() / files.len() as f64;
    println!(
        "| {name} | {seconds:.1} | {:.1} | {} |",
        seconds * FILES as f64 / 3600.0,
        sizes / files.len() as u64
    );
    Ok(())
}

/// All files below a folder, and what they hold.
fn tree(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(tree(&path)?);
        } else {
            files.insert(path.clone(), fs::read(&path)?);
        }
    }
    Ok(files)
}

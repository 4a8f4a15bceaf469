//! The measurement sends SIGKILL at different moments, to each kind of process of a run in turn.
//!
//! Counts the bugs that were lost and the processes that stayed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::tools;

const TARGET: &str = "twenty";
const ROUNDS: u64 = 200;
/// The number of runs that share a store.
const ROUNDS_OF_A_STORE: u64 = 10;
/// Tells the processes of this measurement from all others.
const MARKER: &str = "DWINDLE_KILLS";
/// How long to wait until all processes have ended.
const PATIENCE: Duration = Duration::from_secs(20);

/// The role to kill in each round, in turn.
const ROLES: [Role; 6] =
    [Role::Supervisor, Role::Fuzzer, Role::Snapshot, Role::Screen, Role::Minimizer, Role::Worker];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Supervisor,
    Fuzzer,
    /// A copy of the fuzzer that sleeps.
    Snapshot,
    /// A prescreen worker, or its fork server.
    Screen,
    Minimizer,
    /// What the minimizer runs candidates in.
    Worker,
}

struct Process {
    pid: u32,
    role: Role,
}

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    let mut killed: BTreeMap<Role, u64> = BTreeMap::new();
    // `unreadable` counts the folders without a readable report or without an original, after each
    // round. Rounds share a store, so it counts such a folder again after each later round.
    let (mut announced, mut lost, mut unreadable, mut left) = (0, 0, 0, 0);
    let mut scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    for round in 0..ROUNDS {
        if round % ROUNDS_OF_A_STORE == 0 {
            scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
            fs::create_dir(scratch.path().join("corpus"))
                .context("cannot make a temporary folder")?;
        }
        let store = scratch.path().join("store");
        let mut run = start(scratch.path(), &store)?;
        let stdout = run.stdout.take().context("cargo has no output")?;
        let output = thread::spawn(move || std::io::read_to_string(stdout).unwrap_or_default());
        // The first round builds.
        wait_until(Duration::from_mins(10), || !processes().is_empty());
        thread::sleep(Duration::from_millis(round * 7919 % 1500));
        let role = ROLES[round as usize % ROLES.len()];
        if kill_one(role) {
            *killed.entry(role).or_default() += 1;
        }
        thread::sleep(Duration::from_millis(300));
        kill(run.id(), Signal::TERM);
        let _ = run.wait();
        wait_until(PATIENCE, || processes().is_empty());
        for process in processes() {
            left += 1;
            kill(process.pid, Signal::KILL);
        }
        let output = output.join().unwrap_or_default();
        let bugs = announced_bugs(&output);
        announced += bugs.len();
        lost += bugs
            .iter()
            .filter(|bug| !has_report_and_original(&store.join(TARGET).join(bug)))
            .count();
        unreadable += folders(&store, TARGET)
            .iter()
            .filter(|folder| !has_report_and_original(folder))
            .count();
    }
    println!("| killed | times |\n| --- | --- |");
    for (role, times) in killed {
        println!("| {role:?} | {times} |");
    }
    println!(
        "\n{announced} bugs announced: {lost} lost; {unreadable} folders not readable; {left} \
         processes left behind"
    );
    Ok(())
}

/// Starts a run of the target.
fn start(scratch: &Path, store: &Path) -> Result<Child> {
    tools::cargo()
        .args([
            "dwindle",
            "run",
            TARGET,
            "--fuzz-dir",
            "xtask/tests/fixture",
            "--json",
            "--max-time",
            "60",
        ])
        .arg(scratch.join("corpus"))
        .arg("--store")
        .arg(store)
        .args(["--", &format!("-artifact_prefix={}/", scratch.display())])
        .env(MARKER, "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start cargo")
}

/// Waits up to 5 seconds for a process with this role, and kills it. Returns whether there was one.
fn kill_one(role: Role) -> bool {
    wait_until(Duration::from_secs(5), || processes().iter().any(|process| process.role == role));
    let processes = processes();
    let victim = processes.iter().find(|process| process.role == role);
    if let Some(victim) = victim {
        kill(victim.pid, Signal::KILL);
    }
    victim.is_some()
}

/// The ids of the bugs that a run announced in its output.
fn announced_bugs(output: &str) -> Vec<String> {
    let events = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let bugs = events.filter(|event| event["event"] == "bug");
    bugs.map(|event| event["bug_id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The folders of the bugs of a target in the store.
pub(super) fn folders(store: &Path, target: &str) -> Vec<PathBuf> {
    fs::read_dir(store.join(target))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .collect()
}

/// Whether a bug's folder holds a report that can be read, and the first hit.
pub(super) fn has_report_and_original(folder: &Path) -> bool {
    let has_report = fs::read(folder.join("report.json"))
        .is_ok_and(|report| serde_json::from_slice::<Value>(&report).is_ok());
    let mut names =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    has_report && names.any(|name| name.to_string_lossy().starts_with("original-"))
}

pub(super) fn wait_until(patience: Duration, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() && begun.elapsed() < patience {
        thread::sleep(Duration::from_millis(5));
    }
}

/// The processes of the target that run with the marker in their environment.
fn processes() -> Vec<Process> {
    let pids = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut found: Vec<(u32, u32, bool, bool)> = pids
        .filter_map(|pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let variables: Vec<&[u8]> = environment.split(|byte| *byte == 0).collect();
            let program = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
            if !variables.contains(&format!("{MARKER}=1").as_bytes())
                || program.file_name()? != TARGET
            {
                return None;
            }
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // Behind the name, which may hold anything, stand the state and the parent.
            let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
            let is_snapshot =
                fs::read_to_string(format!("/proc/{pid}/comm")).ok()?.trim_end() == "dwindle-snap";
            Some((pid, parent, variables.contains(&&b"DWINDLE_MODE=minimizer"[..]), is_snapshot))
        })
        .collect();
    found.sort_unstable();
    let minimizers: Vec<u32> =
        found.iter().filter(|(.., is_minimizer, _)| *is_minimizer).map(|(pid, ..)| *pid).collect();
    let supervisor = found.iter().find(|(.., is_minimizer, _)| !is_minimizer).map(|(pid, ..)| *pid);
    // The first child of the supervisor; the fuzzer comes later.
    let fork_server = found
        .iter()
        .find(|(_, parent, is_minimizer, _)| !is_minimizer && Some(*parent) == supervisor)
        .map(|(pid, ..)| *pid);
    let role = |pid, parent, is_minimizer, is_snapshot| match (is_minimizer, is_snapshot) {
        (true, _) if minimizers.contains(&parent) => Role::Worker,
        (true, _) => Role::Minimizer,
        (_, true) => Role::Snapshot,
        _ if Some(pid) == supervisor => Role::Supervisor,
        _ if Some(pid) == fork_server || Some(parent) == fork_server => Role::Screen,
        _ => Role::Fuzzer,
    };
    found
        .into_iter()
        .map(|(pid, parent, is_minimizer, is_snapshot)| Process {
            pid,
            role: role(pid, parent, is_minimizer, is_snapshot),
        })
        .collect()
}

pub(super) fn kill(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // An error means that it has ended by itself.
        let _ = kill_process(pid, signal);
    }
}

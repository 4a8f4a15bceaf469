//! Several processes of one run: their executions beside those of one process, sixteen of them on
//! two cores, and kills of each kind of process.
//!
//! With `EVIDENCE_SHORT=1` the runs are short and few. The figures then only show that it works.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;
use serde_json::Value;

use crate::evidence::build::{self, FIXTURE};
use crate::evidence::kills::{folders, has_report_and_original, kill, wait_until};
use crate::evidence::median::median;
use crate::evidence::overhead::free;
use crate::evidence::run::executions_of;
use crate::evidence::start::milliseconds_of_children;
use crate::tools;

/// The goal: executions of two jobs in those of one.
const RATIO_MIN: f64 = 1.8;
/// How long a run may take beyond its time.
const OVERRUN_MAX: Duration = Duration::from_secs(10);
/// The target of the kills, and its number of bugs.
const TARGET: &str = "five_bugs";
const BUGS: usize = 5;
/// The number of kills that share a store.
const KILLS_OF_A_STORE: usize = 10;
/// Tells the processes of this measurement from all others.
const MARKER: &str = "DWINDLE_JOBS_EVIDENCE";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    Random,
    Libfuzzer,
}

/// How long and how often.
struct Size {
    rounds: usize,
    seconds: u64,
    kills: usize,
}

pub(crate) fn measure() -> Result<()> {
    tools::require_cpp_compiler()?;
    let size = if std::env::var_os("EVIDENCE_SHORT").is_some() {
        Size { rounds: 1, seconds: 10, kills: 12 }
    } else {
        Size { rounds: 5, seconds: 60, kills: 100 }
    };
    let rates = build::plain(FIXTURE, "sound")?;
    let bugs = build::plain(FIXTURE, TARGET)?;
    let mut is_met = measure_rates(&rates, &size)?;
    is_met &= measure_sixteen(&bugs, &size)?;
    is_met &= measure_kills(&bugs, &size)?;
    println!("\nthe figures are {}", if is_met { "met" } else { "NOT met" });
    Ok(())
}

fn measure_rates(binary: &Path, size: &Size) -> Result<bool> {
    let Size { rounds, seconds, .. } = size;
    println!(
        "Executions in {seconds} s on two cores, medians of {rounds} rounds, and the least and \
         largest ratio.\n"
    );
    println!(
        "| engine | one job | two jobs | ratio | from | to | ratio for each second of the \
         processor |\n| --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut is_met = true;
    for engine in [Engine::Random, Engine::Libfuzzer] {
        let (mut one, mut two, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let mut efficiency = Vec::new();
        for _ in 0..*rounds {
            let [first, second] = [1, 2].map(|jobs| executions(binary, engine, jobs, *seconds));
            let ((first, time_of_first), (second, time_of_second)) = (first?, second?);
            one.push(first);
            two.push(second);
            ratios.push(second as f64 / first as f64);
            efficiency.push(second as f64 / time_of_second / (first as f64 / time_of_first));
        }
        ratios.sort_unstable_by(f64::total_cmp);
        let ratio = median(ratios.clone());
        is_met &= ratio >= RATIO_MIN;
        println!(
            "| {engine:?} | {} | {} | {ratio:.2} | {:.2} | {:.2} | {:.2} |",
            median(one),
            median(two),
            ratios[0],
            ratios[ratios.len() - 1],
            median(efficiency)
        );
    }
    println!("\nat least {RATIO_MIN}: {}\n", if is_met { "met" } else { "MISSED" });
    Ok(is_met)
}

/// The executions of a run in which nothing fails, and its milliseconds of the processor.
fn executions(binary: &Path, engine: Engine, jobs: u64, seconds: u64) -> Result<(u64, f64)> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut command = command(binary, engine, jobs, scratch.path())?;
    let before = milliseconds_of_children();
    let output = command.arg(format!("-max_total_time={seconds}")).output()?;
    let time = milliseconds_of_children() - before;
    ensure!(
        output.status.success(),
        "{command:?} ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok((executions_of(&output)?, time))
}

/// A run on two cores, with its store and corpus in `folder`.
fn command(binary: &Path, engine: Engine, jobs: u64, folder: &Path) -> Result<Command> {
    let corpus = folder.join("corpus");
    fs::create_dir_all(&corpus)?;
    let mut command = free(Command::new("taskset"));
    command
        .args(["-c", "0,1"])
        .arg(binary)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env(MARKER, folder)
        .env("DWINDLE_STORE", folder.join("store"))
        .arg("-rss_limit_mb=1024");
    if jobs > 1 {
        command.arg(format!("-fork={jobs}"));
    }
    match engine {
        Engine::Random => command.env("DWINDLE_MODE", "random"),
        Engine::Libfuzzer => command.arg(corpus).arg("-artifact_prefix=./"),
    };
    Ok(command)
}

fn measure_sixteen(binary: &Path, size: &Size) -> Result<bool> {
    println!(
        "Sixteen jobs on two cores, {} s, on a target with {BUGS} bugs.\n\n| engine | s | bugs | \
         kept twice | pending | processes left | exit |\n| --- | --- | --- | --- | --- | --- | --- \
         |",
        size.seconds
    );
    let mut is_met = true;
    for engine in [Engine::Random, Engine::Libfuzzer] {
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let mut command = command(binary, engine, 16, scratch.path())?;
        let began = Instant::now();
        let output = command.arg(format!("-max_total_time={}", size.seconds)).output()?;
        let took = began.elapsed();
        wait_until(Duration::from_secs(5), || processes(scratch.path()).is_empty());
        let left = processes(scratch.path()).len();
        let found = Found::read(&scratch.path().join("store"));
        println!(
            "| {engine:?} | {:.1} | {} | {} | {} | {left} | {:?} |",
            took.as_secs_f64(),
            found.bugs,
            found.bugs - found.unreadable - found.distinct,
            found.pending,
            output.status.code()
        );
        is_met &= took <= Duration::from_secs(size.seconds) + OVERRUN_MAX
            && found.is_whole()
            && found.bugs == BUGS
            && left == 0;
    }
    println!();
    Ok(is_met)
}

/// What a store holds.
struct Found {
    bugs: usize,
    /// Bugs that differ in kind or place.
    distinct: usize,
    pending: usize,
    unreadable: usize,
}

impl Found {
    fn read(store: &Path) -> Found {
        let folders: Vec<PathBuf> = folders(store, TARGET);
        let reports: Vec<Value> = folders
            .iter()
            .filter(|folder| has_report_and_original(folder))
            .filter_map(|folder| {
                serde_json::from_slice(&fs::read(folder.join("report.json")).ok()?).ok()
            })
            .collect();
        let places: BTreeSet<String> = reports
            .iter()
            .map(|report| format!("{} {}", report["kind"], report["location"]))
            .collect();
        Found {
            bugs: folders.len(),
            distinct: places.len(),
            pending: reports.iter().filter(|report| report["status"] == "pending").count(),
            unreadable: folders.len() - reports.len(),
        }
    }

    fn is_whole(&self) -> bool {
        self.distinct == self.bugs && self.unreadable == 0 && self.bugs <= BUGS
    }
}

/// The process to kill, in turn.
const ROLES: [Role; 6] = [
    Role::Session,
    Role::Member,
    Role::ForkServer,
    Role::Worker,
    Role::Minimizer,
    Role::WorkerOfMinimizer,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Session,
    Member,
    ForkServer,
    Worker,
    Minimizer,
    WorkerOfMinimizer,
}

struct Process {
    pid: u32,
    role: Role,
}

fn measure_kills(binary: &Path, size: &Size) -> Result<bool> {
    let mut killed = [0; ROLES.len()];
    let (mut lost, mut twice, mut unreadable, mut left, mut ended) = (0, 0, 0, 0, 0);
    let mut scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut known = BTreeSet::new();
    for round in 0..size.kills {
        if round % KILLS_OF_A_STORE == 0 {
            scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
            known.clear();
        }
        let folder = scratch.path();
        let store = folder.join("store");
        let mut run = start(binary, folder)?;
        wait_until(Duration::from_secs(10), || {
            processes(folder).iter().any(|process| process.role == Role::Worker)
        });
        thread::sleep(Duration::from_millis(round as u64 * 7919 % 1500));
        let role = ROLES[round % ROLES.len()];
        let find = || processes(folder).into_iter().find(|process| process.role == role);
        wait_until(Duration::from_secs(3), || find().is_some());
        if let Some(process) = find() {
            kill(process.pid, Signal::KILL);
            killed[round % ROLES.len()] += 1;
        }
        thread::sleep(Duration::from_millis(300));
        // The kill of any process but the one with the session must not end the run.
        ended += usize::from(role != Role::Session && run.try_wait()?.is_some());
        kill(run.id(), Signal::TERM);
        run.wait()?;
        wait_until(Duration::from_secs(20), || processes(folder).is_empty());
        for process in processes(folder) {
            left += 1;
            kill(process.pid, Signal::KILL);
        }
        let now: BTreeSet<PathBuf> = folders(&store, TARGET).into_iter().collect();
        lost += known.difference(&now).count();
        known = now;
        let found = Found::read(&store);
        twice += found.bugs - found.unreadable - found.distinct + found.bugs.saturating_sub(BUGS);
        unreadable += found.unreadable;
    }
    println!("| killed | times |\n| --- | --- |");
    for (role, times) in ROLES.iter().zip(killed) {
        println!("| {role:?} | {times} |");
    }
    println!(
        "\nbugs: {lost} lost, {twice} kept twice or wrong, {unreadable} not readable; {left} \
         processes left behind; {ended} runs ended by the kill of a process without the session"
    );
    Ok(lost + twice + unreadable + left + ended == 0)
}

/// Starts a run of the random engine with four members.
fn start(binary: &Path, folder: &Path) -> Result<Child> {
    let mut command = command(binary, Engine::Random, 4, folder)?;
    command
        .arg("-max_total_time=60")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start the target")
}

/// The processes of the run in this folder.
fn processes(folder: &Path) -> Vec<Process> {
    let marker = format!("{MARKER}={}", folder.display());
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let found: Vec<(u32, u32, bool, bool, bool)> = pids
        .filter_map(|pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let variables: Vec<&[u8]> = environment.split(|byte| *byte == 0).collect();
            if !variables.contains(&marker.as_bytes()) {
                return None;
            }
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // Behind the name, which may hold anything, stand the state and the parent.
            let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
            let is_member = variables.iter().any(|name| name.starts_with(b"DWINDLE_MEMBER="));
            let is_minimizer = variables.contains(&&b"DWINDLE_MODE=minimizer"[..]);
            Some((pid, parent, is_member, is_minimizer, name.trim_end() == "dwindle-forksrv"))
        })
        .collect();
    let fork_servers: Vec<u32> =
        found.iter().filter(|(.., is_fork_server)| *is_fork_server).map(|(pid, ..)| *pid).collect();
    let role = |parent: u32, is_member, is_minimizer, is_fork_server| match (
        is_minimizer,
        is_fork_server,
        fork_servers.contains(&parent),
    ) {
        (true, false, false) => Role::Minimizer,
        (true, ..) => Role::WorkerOfMinimizer,
        (_, true, _) => Role::ForkServer,
        (_, _, true) => Role::Worker,
        _ if is_member => Role::Member,
        _ => Role::Session,
    };
    found
        .iter()
        .map(|&(pid, parent, is_member, is_minimizer, is_fork_server)| Process {
            pid,
            role: role(parent, is_member, is_minimizer, is_fork_server),
        })
        .collect()
}

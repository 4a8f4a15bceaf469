//! What a target may do to its process, as a table: what is kept of each way.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use xtask::odd::{CHOICES, FAILING, TARGET, WAYS, Way};

use crate::bugs::Bug;
use crate::stage::{Stage, outcome};

/// How many ways are tried at once.
const AT_ONCE: usize = 2;
/// How long a run may take beyond its time.
const OVERRUN_MAX: Duration = Duration::from_secs(10);

#[test]
fn a_failing_file_of_every_odd_target_is_kept_and_minimized() {
    let stage = Stage::fixture();
    let crash = stage.file("crash", &FAILING);
    each_way(&stage, WAYS.iter().filter(|way| way.not_minimized.is_none()), |way, mut binary| {
        let ended = outcome(binary.arg(&crash).env("DWINDLE_MODE", "min"));
        assert_eq!(ended.code, Some(1), "{way:?}: {ended:#?}");
        is_kept_and_minimized(&stage, way);
    });
    stage.leaves_no_process();
}

/// Those that meet the fuzzer otherwise than a minimizer.
const IN_A_RUN: [&str; 15] = [
    "handlers-reset",
    "signals-blocked",
    "descriptors-closed",
    "folder-other",
    "fork-returns",
    "fork-lives-abort",
    "fork-dies",
    "fork-exits",
    "fork-keeps-pipes",
    "waits-for-any",
    "thread-goes-on",
    "limit-file-size",
    "exit-handler-loops",
    "traced",
    "stops",
];

#[test]
fn a_run_of_every_odd_target_ends_on_time_and_keeps_its_bug() {
    const SECONDS: u64 = 3;
    let stage = Stage::fixture();
    stage.file("corpus/failing", &FAILING);
    each_way(&stage, WAYS.iter().filter(|way| IN_A_RUN.contains(&way.name)), |way, mut binary| {
        let began = Instant::now();
        // The corpus by a path that leads nowhere from another folder.
        let ended =
            outcome(binary.args(["corpus", "-seed=1", &format!("-max_total_time={SECONDS}")]));
        let took = began.elapsed();
        assert!(
            took <= Duration::from_secs(SECONDS) + OVERRUN_MAX,
            "{way:?} took {took:?}: {ended:#?}"
        );
        assert!(
            took >= Duration::from_secs(SECONDS - 1),
            "{way:?} ended before its time: {ended:#?}"
        );
        assert_eq!(ended.code, Some(77), "{way:?}: {ended:#?}");
        // On a busy machine the run may end before the minimizer does, and says so.
        if kept(&stage, way).status() == "pending" {
            ended.says("left for the next run to minimize");
        } else {
            is_kept_and_minimized(&stage, way);
        }
    });
    stage.leaves_no_process();
}

#[test]
fn a_target_that_reaches_its_limit_of_processor_time_is_a_bug_of_that_kind() {
    let stage = Stage::fixture();
    let crash = stage.file("crash", &FAILING);
    let ways: Vec<&Way> = WAYS.iter().filter(|way| way.not_minimized.is_some()).collect();
    each_way(&stage, ways.into_iter(), |way, mut binary| {
        let ended =
            outcome(binary.arg(&crash).env("DWINDLE_MODE", "min").env("DWINDLE_BUDGET_CALLS", "3"));
        assert_eq!(ended.code, Some(1), "{way:?}: {ended:#?}");
        ended.says("reached its limit of processor time");
        assert_eq!(kept(&stage, way).report["kind"], way.kind);
    });
}

/// Runs the target in each of these ways, a few at once. Each way has its own store.
fn each_way<'a>(
    stage: &Stage,
    ways: impl Iterator<Item = &'a Way> + Send,
    act: impl Fn(&Way, Command) + Sync,
) {
    let binary = stage.binary(TARGET);
    let ways = Mutex::new(ways);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(way) = { ways.lock().unwrap().next() } {
                    let mut command = same(&binary);
                    command.env("ODD_WAY", way.name).env("DWINDLE_STORE", stage.path(way.name));
                    act(way, command);
                }
            });
        }
    });
}

fn same(command: &Command) -> Command {
    let mut same = Command::new(command.get_program());
    same.args(command.get_args()).current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => same.env(name, value),
            None => same.env_remove(name),
        };
    }
    same.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    same
}

/// The bug of the way. A fast run starts more threads than the system has, and then the standard
/// library panics too.
fn kept(stage: &Stage, way: &Way) -> Bug {
    let mut bugs = stage.bugs_of(way.name, TARGET);
    let is_of_the_way = |bug: &Bug| {
        let place = bug.report["location"].as_str().unwrap_or_default();
        bug.report["kind"] == way.kind && !place.starts_with("rust/library/std/src/thread/")
    };
    let index = bugs.iter().position(is_of_the_way);
    bugs.swap_remove(index.unwrap_or_else(|| panic!("{way:?}: {bugs:#?}")))
}

fn is_kept_and_minimized(stage: &Stage, way: &Way) {
    let bug = kept(stage, way);
    assert_eq!(
        (bug.status(), bug.report["minimized_choices"].as_u64()),
        ("minimized", Some(CHOICES)),
        "{way:?}: {bug:#?}"
    );
}

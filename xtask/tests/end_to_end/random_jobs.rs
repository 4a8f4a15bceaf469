//! Several processes of the random engine: `--engine random --jobs N`.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::bugs::Bug;
use crate::limits::OVERRUN_MAX;
use crate::processes::{Process, Running, kill, wait_until};
use crate::stage::{Stage, outcome};

#[test]
fn several_processes_share_the_executions_and_keep_each_bug_once() {
    let stage = Stage::fixture();
    let ended = outcome(&mut random(&stage, "two_bugs", 3, &["-seed=5", "-runs=10001"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert_eq!((ended.events("bug").len(), ended.events("minimized").len()), (2, 2), "{ended:#?}");
    let ends = ended.events("end");
    assert_eq!(ends.len(), 1, "{ended:#?}");
    assert_eq!(ends[0]["executions"], 10_001);
    assert_eq!(ends[0]["bugs"].as_array().unwrap().len(), 2);
    let bugs = stage.bugs("two_bugs");
    assert_eq!(bugs.iter().map(Bug::draws).collect::<Vec<_>>(), ["[0, 0, 0]", "[42]"], "{bugs:#?}");
    assert!(bugs.iter().all(|bug| bug.status() == "minimized" && bug.hits() > 1), "{bugs:#?}");
    stage.leaves_no_process();
}

#[test]
fn several_processes_without_a_bug_succeed() {
    let stage = Stage::fixture();
    // One process more than executions.
    let ended = outcome(&mut random(&stage, "sound", 3, &["-runs=2"]));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(ended.events("end")[0]["executions"], 2);
    stage.leaves_no_process();
}

#[test]
fn several_processes_end_when_their_time_is_up() {
    let stage = Stage::fixture();
    let built = outcome(&mut random(&stage, "five_bugs", 1, &["-runs=1"]));
    assert!(matches!(built.code, Some(0 | 1)), "{built:#?}");
    let began = Instant::now();
    let ended = outcome(&mut random(&stage, "five_bugs", 8, &["-max_total_time=3"]));
    assert!(began.elapsed() < Duration::from_secs(3) + OVERRUN_MAX, "{ended:#?}");
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    stage.leaves_no_process();
}

#[test]
fn a_killed_process_is_replaced_and_the_run_makes_all_its_executions() {
    let stage = Stage::fixture();
    let mut command = random(&stage, "slow", 2, &["-runs=60"]);
    let mut run = Running::start(command.env("FIXTURE_SLEEP_MS", "50"));
    run.await_event(|event| event["event"] == "heartbeat" && event["executions"] != 0);
    let [members, fork_servers] = members_and_fork_servers(&stage);
    kill(members[0]);
    wait_until("another process fuzzes", || {
        let [now, _] = members_and_fork_servers(&stage);
        now.len() == 2 && !now.contains(&members[0])
    });
    let other = fork_servers.iter().find(|fork_server| is_of(&stage, **fork_server, members[1]));
    kill(*other.expect("the other process has a fork server"));
    let ended = run.end();
    assert!(matches!(ended.code, Some(0 | 1)), "{ended:#?}");
    let end = &ended.events("end")[0];
    assert!(end["executions"].as_u64().unwrap() >= 60, "{end:#?}");
    ended.says("2 processes that fuzzed died and were replaced");
    assert!(stage.bugs("slow").len() <= 1, "{:#?}", stage.bugs("slow"));
    stage.leaves_no_process();
}

#[test]
fn a_signal_ends_several_processes_and_keeps_their_hits() {
    let stage = Stage::fixture();
    let mut run = Running::start(&mut random(&stage, "two_bugs", 2, &[]));
    run.await_event(|event| event["event"] == "minimized");
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    assert_eq!(ended.events("end")[0]["interrupted"], true);
    assert!(!stage.bugs("two_bugs").is_empty());
    stage.leaves_no_process();
}

#[test]
fn a_killed_session_ends_several_processes() {
    let stage = Stage::fixture();
    let mut run = Running::start(&mut random(&stage, "two_bugs", 2, &[]));
    run.await_event(|event| event["event"] == "bug");
    let all = stage.processes();
    let is_first = |process: &&Process| all.iter().all(|other| other.pid != process.parent);
    let targets = all.iter().filter(|process| process.program == "two_bugs");
    let command = all.iter().find(is_first).expect("the command runs").pid;
    let mut sessions = targets.filter(|process| process.parent == command);
    kill(sessions.next().expect("the session runs").pid);
    assert_eq!(run.end().code, Some(3));
    stage.leaves_no_process();
}

#[test]
fn wrong_use_by_the_target_ends_several_processes_with_its_words() {
    let stage = Stage::fixture();
    let ended = outcome(&mut random(&stage, "mistaken", 2, &[]));
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    ended.says("fuzz_targets/mistaken.rs");
    stage.leaves_no_process();
}

#[test]
fn the_first_bug_ends_several_processes_if_the_user_wants_it() {
    let stage = Stage::fixture();
    let options = ["--engine", "random", "--jobs", "2", "--stop-on-first"];
    let ended = outcome(&mut stage.run("two_bugs", &options, &[]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert!(!stage.bugs("two_bugs").is_empty());
    stage.leaves_no_process();
}

fn random(stage: &Stage, target: &str, jobs: u32, engine_args: &[&str]) -> std::process::Command {
    let jobs = jobs.to_string();
    stage.run(target, &["--json", "--engine", "random", "--jobs", &jobs], engine_args)
}

/// The processes that fuzz, and those that fork their workers.
fn members_and_fork_servers(stage: &Stage) -> [Vec<u32>; 2] {
    let all = stage.processes();
    let of_engine = |process: &&Process| process.mode.as_deref() == Some("random");
    let fork_servers: Vec<&Process> =
        all.iter().filter(of_engine).filter(|process| process.is("forksrv")).collect();
    let members = fork_servers.iter().map(|fork_server| fork_server.parent).collect();
    [members, fork_servers.iter().map(|fork_server| fork_server.pid).collect()]
}

/// Whether a process is a child of another one.
fn is_of(stage: &Stage, child: u32, parent: u32) -> bool {
    stage.processes().iter().any(|process| process.pid == child && process.parent == parent)
}

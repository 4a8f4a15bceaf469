//! SIGKILL, which no process can catch.

use crate::processes::{Running, kill, wait_until};
use crate::stage::Stage;

#[test]
fn a_killed_fuzzer_is_started_again_and_the_minimizer_continues() {
    let stage = Stage::fixture();
    let mut run = minimizing(&stage);
    let [_, fuzzer] = supervisor_and_fuzzer(&stage);
    let minimizer = stage.processes_of("slow", Some("minimizer"));
    kill(fuzzer);
    run.await_event(|event| {
        event["event"] == "error" && event["text"].as_str().unwrap().contains("starts it again")
    });
    wait_until("there is another fuzzer", || supervisor_and_fuzzer(&stage)[1] != fuzzer);
    assert_eq!(stage.processes_of("slow", Some("minimizer"))[0], minimizer[0]);
    run.signal(rustix::process::Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    stage.leaves_no_process();
    stage.finishes_what_is_pending();
}

#[test]
fn a_killed_supervisor_ends_its_processes_and_leaves_a_pending_bug() {
    let stage = Stage::fixture();
    let run = minimizing(&stage);
    kill(supervisor_and_fuzzer(&stage)[0]);
    let ended = run.end();
    // The target died without a crash file, so the command cannot report a bug.
    assert_eq!(ended.code, Some(3), "{ended:#?}");
    ended.says("was killed by signal 9");
    stage.leaves_no_process();
    stage.finishes_what_is_pending();
}

#[test]
fn a_killed_command_ends_all_its_processes() {
    let stage = Stage::fixture();
    let run = minimizing(&stage);
    run.signal(rustix::process::Signal::KILL);
    stage.leaves_no_process();
    assert_eq!(run.end().code, None);
    stage.finishes_what_is_pending();
}

#[test]
fn a_killed_minimizer_does_not_end_the_run() {
    let stage = Stage::fixture();
    let mut run = minimizing(&stage);
    kill(stage.processes_of("slow", Some("minimizer"))[0]);
    run.await_event(|event| event["event"] == "minimized");
    run.signal(rustix::process::Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    assert!(
        ended.events("warning")[0]["text"].as_str().unwrap().contains("ended early"),
        "{ended:#?}"
    );
    let bug = stage.only_bug("slow");
    assert_eq!(bug.status(), "best-effort");
    assert_eq!(std::fs::read(bug.input()).unwrap(), bug.original());
    stage.leaves_no_process();
}

/// The supervisor is the only one that none of the others forked; of those that it forked the
/// fuzzer has no role.
fn supervisor_and_fuzzer(stage: &Stage) -> [u32; 2] {
    let mut found = None;
    wait_until("one fuzzer runs", || {
        let all: Vec<_> = stage
            .processes()
            .into_iter()
            .filter(|process| process.program == "slow" && process.mode.is_none())
            .collect();
        let supervisor = all
            .iter()
            .find(|process| all.iter().all(|other| other.pid != process.parent))
            .map(|process| process.pid);
        let mut fuzzers = all
            .iter()
            .filter(|process| Some(process.parent) == supervisor && process.role.is_none());
        found = supervisor.zip(fuzzers.next()).map(|(supervisor, fuzzer)| [supervisor, fuzzer.pid]);
        fuzzers.next().is_none() && found.is_some()
    });
    found.unwrap_or_default()
}

/// A run in the middle of minimizing.
fn minimizing(stage: &Stage) -> Running {
    stage.eight_numbers_and_more();
    let mut run = Running::start(
        stage
            .run("slow", &["--json", "--budget", "600s"], &["-seed=1"])
            .env("FIXTURE_SLEEP_MS", "200"),
    );
    run.await_event(|event| event["event"] == "bug");
    wait_until("the minimizer runs", || !stage.processes_of("slow", Some("minimizer")).is_empty());
    run
}

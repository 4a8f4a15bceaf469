//! SIGKILL, which nobody can prepare for.

use crate::processes::{Running, kill, wait_until};
use crate::stage::Stage;

#[test]
fn a_killed_fuzzer_is_started_again_and_the_minimizer_goes_on() {
    let stage = Stage::fixture();
    let mut run = minimizing(&stage);
    let [_, fuzzer] = supervisor_and_fuzzer(&stage);
    let minimizer = stage.processes_of("slow", Some("minimizer"));
    kill(fuzzer);
    run.await_event(|event| event["event"] == "error" && event["text"].as_str().unwrap().contains("started again"));
    wait_until("there is another fuzzer", || supervisor_and_fuzzer(&stage)[1] != fuzzer);
    assert_eq!(stage.processes_of("slow", Some("minimizer"))[0], minimizer[0]);
    run.signal(rustix::process::Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    stage.leaves_no_process();
    stage.finishes_what_is_pending();
}

#[test]
fn a_killed_supervisor_takes_fuzzer_and_minimizer_along_and_leaves_a_pending_bug() {
    let stage = Stage::fixture();
    let run = minimizing(&stage);
    kill(supervisor_and_fuzzer(&stage)[0]);
    let ended = run.end();
    // The target died without a crash file: nobody can call that a bug.
    assert_eq!(ended.code, Some(3), "{ended:#?}");
    ended.says("was killed by signal 9");
    stage.leaves_no_process();
    stage.finishes_what_is_pending();
}

#[test]
fn a_killed_command_takes_all_it_started_along() {
    let stage = Stage::fixture();
    let run = minimizing(&stage);
    run.signal(rustix::process::Signal::KILL);
    stage.leaves_no_process();
    assert_eq!(run.end().code, None);
    stage.finishes_what_is_pending();
}

#[test]
fn a_killed_minimizer_leaves_the_run_alone() {
    let stage = Stage::fixture();
    let mut run = minimizing(&stage);
    kill(stage.processes_of("slow", Some("minimizer"))[0]);
    run.await_event(|event| event["event"] == "minimized");
    run.signal(rustix::process::Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    assert!(ended.events("warning")[0]["text"].as_str().unwrap().contains("ended early"), "{ended:#?}");
    let bug = stage.only_bug("slow");
    assert_eq!(bug.status(), "best-effort");
    assert_eq!(std::fs::read(bug.input()).unwrap(), bug.original());
    stage.leaves_no_process();
}

/// The supervisor was there before it forked the fuzzer. Those of its children that have children fork workers, in which it runs inputs again.
fn supervisor_and_fuzzer(stage: &Stage) -> [u32; 2] {
    let all: Vec<_> = stage.processes().into_iter().filter(|process| process.program == "slow" && process.mode.is_none() && !process.stands_by).collect();
    let supervisor = all.iter().map(|process| process.pid).min().expect("the supervisor runs");
    let has_children = |pid: u32| all.iter().any(|process| process.parent == pid);
    let fuzzers = all.iter().filter(|process| process.parent == supervisor && !has_children(process.pid));
    [supervisor, fuzzers.map(|process| process.pid).max().expect("the fuzzer runs")]
}

/// A run in the middle of minimizing.
fn minimizing(stage: &Stage) -> Running {
    stage.eight_numbers_and_more();
    let mut run = Running::start(stage.run("slow", &["--json", "--budget", "600s"], &["-seed=1"]).env("FIXTURE_SLEEP_MS", "200"));
    run.await_event(|event| event["event"] == "bug");
    wait_until("the minimizer runs", || !stage.processes_of("slow", Some("minimizer")).is_empty());
    run
}

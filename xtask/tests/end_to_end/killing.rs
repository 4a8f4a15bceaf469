//! SIGKILL, which nobody can prepare for.

use crate::processes::{Running, kill, wait_until};
use crate::stage::Stage;

#[test]
fn a_killed_fuzzer_takes_its_minimizer_along_and_leaves_a_pending_bug() {
    let stage = Stage::fixture();
    let run = minimizing(&stage);
    let fuzzers = stage.processes_of("slow", None);
    assert_eq!(fuzzers.len(), 1, "{:?}", stage.processes());
    kill(fuzzers[0]);
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

/// A run in the middle of minimizing.
fn minimizing(stage: &Stage) -> Running {
    stage.eight_numbers_and_more();
    let mut run = Running::start(stage.run("slow", &["--json", "--budget", "600s"], &["-seed=1"]).env("FIXTURE_SLEEP_MS", "200"));
    run.await_event(|event| event["event"] == "bug");
    wait_until("the minimizer runs", || !stage.processes_of("slow", Some("minimizer")).is_empty());
    run
}

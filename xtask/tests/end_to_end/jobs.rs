//! Several processes of libFuzzer at once: `-fork=`, which is what `cargo fuzz run --jobs` passes,
//! and `-jobs=`.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::limits::OVERRUN_MAX;
use crate::processes::{Running, kill, wait_until};
use crate::stage::{Stage, outcome};

#[test]
fn several_fuzzers_go_on_after_bugs_and_end_with_all_of_them_minimized() {
    for arguments in [&["-fork=2"][..], &["-jobs=2", "-workers=2"]] {
        let stage = Stage::fixture();
        let mut binary = stage.binary("two_bugs");
        let ended = outcome(binary.arg(stage.path("corpus")).args(arguments).arg("-runs=20000"));
        assert_eq!(ended.code, Some(77), "{ended:#?}");
        let bugs = stage.bugs("two_bugs");
        assert!(
            bugs.len() == 2 && bugs.iter().all(|bug| bug.status() == "minimized"),
            "{bugs:#?}\n{ended:#?}"
        );
        assert_eq!(stage.artifacts().len(), 2, "{ended:#?}");
        stage.leaves_no_process();
    }
}

#[test]
fn several_fuzzers_end_with_their_time() {
    for (arguments, seconds) in [
        (&["-fork=2", "-max_total_time=3"][..], 3),
        (&["-jobs=4", "-workers=2", "-max_total_time=2"], 4),
    ] {
        let stage = Stage::fixture();
        let mut binary = stage.binary("five_bugs");
        let began = Instant::now();
        let ended = outcome(binary.arg(stage.path("corpus")).args(arguments));
        assert!(
            began.elapsed() < Duration::from_secs(seconds) + OVERRUN_MAX,
            "{:?}: {ended:#?}",
            began.elapsed()
        );
        assert!(matches!(ended.code, Some(0 | 77)), "{ended:#?}");
        stage.leaves_no_process();
    }
}

#[test]
fn under_address_sanitizer_they_report_no_leak_of_dwindle() {
    let stage = Stage::fixture();
    let mut command = stage.fuzz_run("deadly", &["-fork=2", "-max_total_time=4"]);
    let ended = outcome(command.env("DEADLY_WAY", "Panic"));
    ended.says("exit status: 77");
    assert!(!ended.stderr.contains("LeakSanitizer"), "{ended:#?}");
    assert_eq!(stage.only_bug("deadly").report["kind"], "panic");
    stage.leaves_no_process();
}

#[test]
fn they_survive_what_kills_their_process() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("deadly");
    binary
        .arg(stage.path("corpus"))
        .args(["-fork=2", "-max_total_time=6"])
        .env("DEADLY_WAY", "Abort");
    let ended = outcome(&mut binary);
    assert_eq!(ended.code, Some(77), "{ended:#?}");
    let bug = stage.only_bug("deadly");
    assert_eq!(bug.report["kind"].as_str(), Some("abort"), "{ended:#?}");
    assert!(bug.hits() > 1, "{bug:#?}");
    stage.leaves_no_process();
}

#[test]
fn an_input_of_the_corpus_that_fails_is_a_bug_with_several_fuzzers_too() {
    let stage = Stage::fixture();
    stage.file("corpus/seed", &[&[3, 1, 100], &[0; 5][..]].concat());
    let seed = std::fs::read(stage.path("corpus/seed")).unwrap();
    let mut binary = stage.binary("five_bugs");
    let ended = outcome(binary.arg(stage.path("corpus")).args(["-fork=2", "-runs=1"]));
    assert_eq!(ended.code, Some(77), "{ended:#?}");
    let bugs = stage.bugs("five_bugs");
    assert!(
        bugs.iter().any(|bug| bug.report["kind"] == "abort" && bug.original() == seed),
        "{bugs:#?}\n{ended:#?}"
    );
    stage.leaves_no_process();
}

#[test]
fn nothing_found_is_no_failure() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("sound");
    binary.arg(stage.path("corpus")).args(["-fork=2", "-max_total_time=3"]);
    let ended = outcome(&mut binary);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("nothing failed");
    stage.leaves_no_process();
}

#[test]
fn a_signal_ends_all_of_them_and_loses_nothing() {
    for (signal, arguments) in
        [(Signal::INT, &["-fork=2"][..]), (Signal::TERM, &["-jobs=4", "-workers=2"])]
    {
        let stage = Stage::fixture();
        let mut binary = stage.binary("five_bugs");
        let run = Running::start(binary.arg(stage.path("corpus")).args(arguments));
        wait_until("a bug is minimized", || {
            stage.bugs("five_bugs").iter().any(|bug| bug.status() == "minimized")
        });
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, Some(72), "{signal:?}: {ended:#?}");
        ended.says("interrupted");
        stage.leaves_no_process();
        stage.finishes_all_of_five();
    }
}

#[test]
fn a_killed_session_takes_all_of_them_with_it_and_loses_nothing() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("five_bugs");
    let mut run = binary.arg(stage.path("corpus")).arg("-fork=2").spawn().unwrap();
    wait_until("a bug is claimed", || !stage.bugs("five_bugs").is_empty());
    kill(run.id());
    run.wait().unwrap();
    stage.leaves_no_process();
    stage.finishes_all_of_five();
}

#[test]
fn the_command_line_has_them_too() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run("two_bugs", &["--json", "--jobs", "2"], &["-runs=20000"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert_eq!((ended.events("bug").len(), ended.events("minimized").len()), (2, 2), "{ended:#?}");
    let end = &ended.events("end")[0];
    assert!(
        end["executions"].as_u64().unwrap() >= 20_000 && end["bugs"].as_array().unwrap().len() == 2,
        "{end:#?}"
    );
    stage.leaves_no_process();
}

impl Stage {
    /// Each bug of the store is whole, and a run that executes next to nothing minimizes what is
    /// pending.
    fn finishes_all_of_five(&self) {
        let before = self.bugs("five_bugs");
        let ended = outcome(&mut self.run("five_bugs", &[], &["-runs=1"]));
        assert!(matches!(ended.code, Some(0 | 1)), "{ended:#?}");
        let after = self.bugs("five_bugs");
        assert!(
            after.len() >= before.len() && after.iter().all(|bug| bug.status() == "minimized"),
            "{after:#?}"
        );
    }
}

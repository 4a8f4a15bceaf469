//! Ctrl-C and SIGTERM: the run ends in order, nothing is lost, no process stays.

use rustix::process::Signal;

use crate::processes::{Running, wait_until};
use crate::stage::{Stage, outcome};

/// Long enough that no test outlives a minimization, short enough that the fuzzer reaches its
/// corpus soon.
const SLOW: (&str, &str) = ("FIXTURE_SLEEP_MS", "200");

#[test]
fn an_interrupted_run_reports_its_end() {
    for signal in [Signal::INT, Signal::TERM] {
        for options in [&["--json"][..], &["--json", "--engine", "random"]] {
            let stage = Stage::fixture();
            let mut run = Running::start(&mut stage.run("sound", options, &[]));
            run.await_event(|event| event["event"] == "heartbeat");
            run.signal(signal);
            let ended = run.end();
            assert_eq!(ended.code, Some(130), "{signal:?} {options:?}: {ended:#?}");
            let end = &ended.events("end")[0];
            assert_eq!(end["interrupted"], true);
            assert!(end["text"].as_str().unwrap().contains("interrupted, nothing failed"), "{end}");
            stage.leaves_no_process();
        }
    }
}

#[test]
fn a_bug_that_is_being_minimized_stays_pending_and_the_next_run_finishes_it() {
    for signal in [Signal::INT, Signal::TERM] {
        for engine in ["libfuzzer", "random"] {
            let stage = Stage::fixture();
            stage.eight_numbers_and_more();
            let mut run = Running::start(
                stage
                    .run("slow", &["--json", "--engine", engine, "--budget", "600s"], &["-seed=1"])
                    .env(SLOW.0, SLOW.1),
            );
            run.await_event(|event| event["event"] == "bug");
            wait_until("the minimizer runs", || {
                !stage.processes_of("slow", Some("minimizer")).is_empty()
            });
            run.signal(signal);
            let ended = run.end();
            assert_eq!(ended.code, Some(130), "{signal:?} {engine}: {ended:#?}");
            let text = ended.events("end")[0]["text"].as_str().unwrap().to_owned();
            assert!(
                text.contains("interrupted")
                    && text.contains("1 bug left for the next run to minimize")
                    && text.contains("pending"),
                "{text}"
            );
            stage.leaves_no_process();
            stage.finishes_what_is_pending();
        }
    }
}

#[test]
fn sigusr1_ends_a_run_without_an_error() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("sound");
    binary.arg(stage.path("corpus"));
    let run = Running::start(&mut binary);
    wait_until("the fuzzer has learnt something", || {
        std::fs::read_dir(stage.path("corpus")).unwrap().count() > 0
    });
    run.signal(Signal::USR1);
    let ended = run.end();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("nothing failed");
    assert!(
        !ended.stderr.contains("lost to"),
        "a fuzzer that ends as asked is no death: {ended:#?}"
    );
    stage.leaves_no_process();
}

#[test]
fn an_interrupted_run_under_libfuzzer_has_the_exit_code_of_libfuzzer() {
    for signal in [Signal::INT, Signal::TERM] {
        let stage = Stage::fixture();
        stage.eight_numbers_and_more();
        let mut binary = stage.binary("slow");
        binary.arg(stage.path("corpus")).env(SLOW.0, SLOW.1).env("DWINDLE_BUDGET_SECONDS", "600");
        let run = Running::start(&mut binary);
        wait_until("the minimizer runs", || {
            !stage.processes_of("slow", Some("minimizer")).is_empty()
        });
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, Some(72), "{signal:?}: {ended:#?}");
        ended.says("1 bug left for the next run to minimize");
        stage.leaves_no_process();
        stage.finishes_what_is_pending();
    }
}

#[test]
fn interrupted_minimizing_of_a_file_leaves_the_file_and_a_pending_bug() {
    for signal in [Signal::INT, Signal::TERM] {
        let stage = Stage::fixture();
        let crash = stage.file("crash", &numbers(60));
        let run = Running::start(
            stage
                .dwindle("min", "slow")
                .arg(&crash)
                .args(["--json", "--budget", "600s"])
                .env(SLOW.0, SLOW.1),
        );
        wait_until("the bug is claimed", || {
            stage
                .path("store/slow")
                .read_dir()
                .is_ok_and(|mut folder| folder.any(|entry| is_bug(&entry.unwrap())))
        });
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, Some(130), "{signal:?}: {ended:#?}");
        assert_eq!(std::fs::read(&crash).unwrap(), numbers(60));
        stage.leaves_no_process();
        stage.finishes_what_is_pending();
    }
}

fn is_bug(entry: &std::fs::DirEntry) -> bool {
    !entry.file_name().to_string_lossy().starts_with('.')
}

/// A list of numbers, all different.
pub(crate) fn numbers(count: u8) -> Vec<u8> {
    (0..count).flat_map(|number| [1, 100 + number]).collect()
}

impl Stage {
    /// The corpus makes `slow` fail at its first input.
    pub(crate) fn eight_numbers_and_more(&self) {
        self.file("corpus/seed", &numbers(60));
    }

    /// The bug of `slow` is pending, and a run that executes next to nothing finishes it.
    #[track_caller]
    pub(crate) fn finishes_what_is_pending(&self) {
        let pending = self.only_bug("slow");
        assert_eq!(pending.status(), "pending");
        assert!(std::fs::read(pending.input()).unwrap().len() <= pending.original().len());
        let _ = std::fs::remove_file(self.path("corpus/seed"));
        let ended = outcome(&mut self.run("slow", &[], &["-runs=1"]));
        assert_eq!(ended.code, Some(1), "{ended:#?}");
        let finished = self.only_bug("slow");
        assert_eq!(
            (finished.id(), finished.status(), finished.draws().as_str()),
            (pending.id(), "minimized", "[0, 0, 0, 0, 0, 0, 0, 0]")
        );
        assert_eq!(finished.original(), pending.original());
    }
}

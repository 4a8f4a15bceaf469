//! The disk is full in the middle: `DWINDLE_FAULT_WRITE` lets one write of a process fail half-way.

use std::fs;
use std::path::Path;

use crate::stage::{Outcome, Stage, names_in, outcome};

/// Claiming a bug writes four files.
const WRITES_OF_A_CLAIM: u64 = 4;

#[test]
fn a_claim_that_fails_keeps_the_raw_input_and_the_next_run_recovers() {
    for engine in ["libfuzzer", "random"] {
        for n in 1..=WRITES_OF_A_CLAIM {
            let stage = Stage::fixture();
            let ended = outcome(
                stage
                    .run("two_bugs", &["--engine", engine], &["-seed=1", "-runs=100000"])
                    .env("DWINDLE_FAULT_WRITE", n.to_string()),
            );
            assert_eq!(ended.code, Some(3), "{engine}, write {n}: {ended:#?}");
            ended.says("No space left");
            let kept = kept_in(&ended);
            let shown = outcome(stage.dwindle("show", "two_bugs").arg(kept));
            assert_eq!(shown.code, Some(1), "{engine}, write {n}: {shown:#?}");
            assert_eq!(stage.bugs("two_bugs").len(), 0, "{engine}, write {n}");
            recovers(&stage, engine);
        }
    }
}

/// The path that the message names.
fn kept_in(ended: &Outcome) -> &Path {
    let words = ended
        .stderr
        .split("the failing input is kept in ")
        .nth(1)
        .unwrap_or_else(|| panic!("{ended:#?}"));
    Path::new(words.lines().next().unwrap())
}

#[test]
fn a_counter_that_cannot_be_written_ends_the_run_and_leaves_the_bug() {
    let stage = Stage::fixture();
    // Nothing is left to minimize, so that the first write of the run is a counter.
    assert_eq!(
        outcome(
            stage
                .dwindle("min", "two_bugs")
                .args([stage.file("one", &[1, 42]), stage.file("two", &[1, 0, 1, 0, 1, 0])])
        )
        .code,
        Some(1)
    );
    let ended = outcome(
        stage.run("two_bugs", &[], &["-seed=1", "-runs=100000"]).env("DWINDLE_FAULT_WRITE", "1"),
    );
    assert_eq!(ended.code, Some(3), "{ended:#?}");
    ended.says("No space left");
    assert_eq!(stage.bugs("two_bugs").len(), 2);
    recovers(&stage, "libfuzzer");
}

#[test]
fn a_minimizer_that_cannot_write_leaves_the_bug_pending_and_the_run_says_so() {
    // Input, test, and two reports.
    for n in 1..=4 {
        let stage = Stage::fixture();
        // The first counter fails, after the bug has been claimed: pending.
        let crash = stage.file("crash", &[1, 7, 1, 42]);
        let claimed = outcome(
            stage
                .dwindle("min", "two_bugs")
                .arg(&crash)
                .env("DWINDLE_FAULT_WRITE", (WRITES_OF_A_CLAIM + 1).to_string()),
        );
        assert_eq!(claimed.code, Some(3), "{claimed:#?}");
        assert_eq!(stage.only_bug("two_bugs").status(), "pending");

        // The only thing to do in this run is to minimize it.
        let ended = outcome(
            stage.run("two_bugs", &[], &["-runs=1"]).env("DWINDLE_FAULT_WRITE", n.to_string()),
        );
        assert_eq!(ended.code, Some(1), "write {n}: {ended:#?}");
        ended.says("cannot read or write ");
        ended.says("the bug stays pending, and the next run minimizes it");
        let bug = stage.only_bug("two_bugs");
        assert_eq!(bug.status(), "pending", "write {n}");
        assert_eq!(outcome(stage.dwindle("show", "two_bugs").arg(bug.input())).code, Some(1));
        recovers(&stage, "libfuzzer");
    }
}

#[test]
fn a_minimized_file_does_not_change_when_a_write_fails() {
    // Claim, counter, and the four files of a minimized bug.
    for n in 1..=9 {
        let stage = Stage::fixture();
        let crash = stage.file("crash", &[1, 7, 1, 42]);
        let ended = outcome(
            stage.dwindle("min", "two_bugs").arg(&crash).env("DWINDLE_FAULT_WRITE", n.to_string()),
        );
        assert_eq!(ended.code, Some(3), "write {n}: {ended:#?}");
        ended.says("No space left");
        assert_eq!(fs::read(&crash).unwrap(), [1, 7, 1, 42]);
        let again = outcome(stage.dwindle("min", "two_bugs").arg(&crash));
        assert_eq!(again.code, Some(1), "write {n}: {again:#?}");
        assert_eq!(
            (stage.only_bug("two_bugs").draws().as_str(), stage.only_bug("two_bugs").status()),
            ("[42]", "minimized"),
            "write {n}"
        );
    }
}

/// A run without faults finds nothing wrong with the store, minimizes what was left, and leaves
/// nothing half-made.
#[track_caller]
fn recovers(stage: &Stage, engine: &str) {
    let ended =
        outcome(&mut stage.run("two_bugs", &["--engine", engine], &["-seed=1", "-runs=100000"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert!(!ended.stderr.contains("damaged"), "{ended:#?}");
    let bugs = stage.bugs("two_bugs");
    assert_eq!(
        bugs.iter().map(|bug| (bug.draws(), bug.status())).collect::<Vec<_>>(),
        [("[0, 0, 0]".to_owned(), "minimized"), ("[42]".to_owned(), "minimized")]
    );
    let names = names_in(&stage.path("store/two_bugs"));
    assert_eq!(names.len(), 2, "{names:?}");
}

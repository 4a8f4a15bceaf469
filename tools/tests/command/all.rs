//! `run --all`: the turns of all targets, and the targets that are left out.

use crate::fixture::Fixture;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;

const ENDS: &str = "send {\"event\":\"end\",\"command\":\"run\",\"executions\":7}\nexit 0";
const DIES: &str = "stderr the last words\ndie";
const FINDS: &str = "send {\"event\":\"end\",\"command\":\"run\",\"executions\":7,\"new_bugs\":1}\n\
                     exit 77";

fn all<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--all", "--max-time", "1"], options].concat()
}

#[test]
fn all_targets_get_turns_and_a_row() {
    let fixture = Fixture::new(ENDS);
    fixture
        .dwindle(&all(&[]))
        .assert()
        .code(0)
        .stderr(contains("target  alpha, 1 s").and(contains("target  beta, 1 s")))
        .stdout(contains("all targets in ").and(contains("\nalpha ")).and(contains("\nbeta ")));
    for target in ["alpha", "beta"] {
        let turns = fs::read_to_string(fixture.path(&format!("fuzz/crashes/{target}.turns.json")));
        assert!(turns.unwrap().contains("\"seconds\""));
    }
}

#[test]
fn the_corpora_run_before_the_first_turn() {
    let fixture = Fixture::new(ENDS);
    let corpus = fixture.path("fuzz/corpus/beta");
    fs::create_dir_all(&corpus).unwrap();
    fs::write(corpus.join("input"), "x").unwrap();
    let output = fixture.dwindle(&all(&[])).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr);
    let of_targets: Vec<_> = shown.lines().filter(|line| line.contains("target  ")).collect();
    assert!(of_targets[0].contains("beta, the corpus"), "{shown}");
    assert!(of_targets.iter().filter(|line| line.contains("the corpus")).count() == 1, "{shown}");
}

#[test]
fn a_target_that_cannot_be_built_is_left_out() {
    let fixture = Fixture::new(ENDS);
    fixture
        .dwindle(&all(&[]))
        .env("BUILD_OF_ONE_FAILS", "alpha")
        .assert()
        .code(3)
        .stderr(
            contains("target `alpha` is left out: ")
                .and(contains("target  beta, 1 s"))
                .and(contains("target  alpha").not()),
        )
        .stdout(contains("left out").and(contains("\nbeta ")));
}

#[test]
fn targets_that_die_at_once_are_left_out() {
    let fixture = Fixture::new(DIES);
    let began = std::time::Instant::now();
    let options = ["run", "--all", "--max-time", "3600"];
    fixture
        .dwindle(&options)
        .assert()
        .code(3)
        .stderr(
            contains("target `alpha` is left out: ")
                .and(contains("target `beta` is left out: "))
                .and(contains("the last words")),
        )
        .stdout(contains("left out"));
    assert!(began.elapsed() < std::time::Duration::from_mins(10));
}

#[test]
fn the_first_new_bug_ends_all_turns_if_the_user_wants_it() {
    let fixture = Fixture::new(FINDS);
    let options = ["run", "--all", "--max-time", "3600", "--stop-on-first"];
    fixture
        .dwindle(&options)
        .assert()
        .code(1)
        .stderr(contains("target  alpha, ").and(contains("target  beta, ").not()));
}

#[test]
fn events_of_all_targets_follow_one_another() {
    let fixture = Fixture::new(ENDS);
    let output = fixture.dwindle(&all(&["--json"])).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let events: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let built = |target| events.iter().any(|e| e["event"] == "built" && e["target"] == target);
    assert!(built("alpha") && built("beta"), "{lines}");
    assert_eq!(events[events.len() - 1]["code"], 0, "{lines}");
}

#[test]
fn all_needs_a_time_and_takes_no_target_and_not_afl() {
    let fixture = Fixture::new(ENDS);
    for wrong in [
        &["run", "--all"][..],
        &["run", "--all", "alpha", "--max-time", "1"],
        &["run", "--all", "--max-time", "1", "--engine", "afl"],
        &["run", "--all", "--max-time", "1", "--out", "x"],
        &["run"],
    ] {
        fixture.dwindle(wrong).assert().code(2);
    }
    assert!(!fixture.path("build-args").exists());
}

//! The random engine.

use std::fs;

use crate::stage::{Stage, outcome};

#[test]
fn a_seed_finds_the_same_bugs_in_the_same_way() {
    let runs: Vec<_> = ["5", "5", "6"].map(found).into();
    assert_eq!(runs[0], runs[1]);
    assert_eq!(
        runs[0].iter().map(|(draws, _)| draws.as_str()).collect::<Vec<_>>(),
        ["[0, 0, 0]", "[42]"]
    );
    assert_ne!(runs[0], runs[2]);
}

/// The draws and the first hit of each bug.
fn found(seed: &str) -> Vec<(String, Vec<u8>)> {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run(
        "two_bugs",
        &["--json", "--engine", "random"],
        &[&format!("-seed={seed}"), "-runs=5000"],
    ));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert_eq!(ended.events("end")[0]["executions"], 5000);
    let bugs = stage.bugs("two_bugs");
    assert!(
        bugs.iter().all(|bug| bug.report["engine"] == "random" && bug.status() == "minimized"),
        "{bugs:#?}"
    );
    assert!(bugs.iter().all(|bug| fs::read(bug.input()).unwrap() != bug.original()));
    bugs.iter().map(|bug| (bug.draws(), bug.original())).collect()
}

#[test]
fn it_ends_at_the_first_bug_if_told_so() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run(
        "two_bugs",
        &["--engine", "random", "--stop-on-first"],
        &["-seed=5"],
    ));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert_eq!(stage.only_bug("two_bugs").status(), "minimized");
}

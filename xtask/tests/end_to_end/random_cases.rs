//! Random cases at the start of a run.

use crate::stage::{Stage, outcome};

/// The three bugs of `repeated` need a large number twice. Mutations of an empty corpus seldom make
/// all three so soon.
#[test]
fn a_random_case_that_panics_dies_or_hangs_is_kept_with_its_input() {
    let stage = Stage::fixture();
    for seed in 1..=3 {
        let mut binary = stage.binary("repeated");
        binary.args(["-runs=300", "-timeout=1"]).arg(format!("-seed={seed}"));
        outcome(binary.env("DWINDLE_EXPLAIN", "off")).says(" executions in ");
    }
    let bugs = stage.bugs("repeated");
    let mut kinds: Vec<&str> =
        bugs.iter().map(|bug| bug.report["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["abort", "panic", "timeout"]);
    // libFuzzer writes the input that it made. It gets the bytes of the random case.
    let hanging = bugs.iter().find(|bug| bug.report["kind"] == "timeout").unwrap();
    let written: Vec<Vec<u8>> =
        stage.artifacts().iter().map(|file| std::fs::read(file).unwrap()).collect();
    assert!(written.contains(&hanging.original()), "{:?} {written:?}", hanging.original());
}

/// AFL++ alone seldom finds both bugs in this time.
#[test]
fn a_campaign_of_afl_begins_with_random_cases() {
    let stage = Stage::fixture();
    let options = ["--jobs", "4", "--max-time", "2", "--json"];
    let ended = outcome(stage.campaign("repeated", &options).env("DWINDLE_EXPLAIN", "off"));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bugs = stage.bugs("repeated");
    let kinds: Vec<&str> = bugs.iter().map(|bug| bug.report["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"panic") && kinds.contains(&"abort"), "{kinds:?}");
    assert!(bugs.iter().all(|bug| bug.status() == "minimized"), "{bugs:#?}");
    stage.leaves_no_process();
}

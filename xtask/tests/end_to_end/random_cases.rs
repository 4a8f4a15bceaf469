//! Random cases at the start of a run under libFuzzer.

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

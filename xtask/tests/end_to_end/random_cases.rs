//! Random cases at the start of a run under libFuzzer.

use crate::stage::{Stage, outcome};

/// The three bugs of `repeated` need a large number twice. Mutations of an empty corpus seldom make
/// that so soon.
#[test]
fn a_random_case_that_panics_dies_or_hangs_is_kept_with_its_input() {
    const ALL: [&str; 3] = ["abort", "panic", "timeout"];
    let found = |stage: &Stage, without: &str| -> Vec<String> {
        for seed in 1..=3 {
            let mut binary = stage.binary("repeated");
            binary.args(["-runs=400", "-timeout=2"]).arg(format!("-seed={seed}"));
            outcome(binary.env("DWINDLE_WITHOUT", without)).says(" executions in ");
        }
        let bugs = stage.bugs("repeated");
        let mut kinds: Vec<String> =
            bugs.iter().map(|bug| bug.report["kind"].as_str().unwrap().to_owned()).collect();
        kinds.sort_unstable();
        kinds
    };
    assert_ne!(found(&Stage::fixture(), "random-cases"), ALL);
    let stage = Stage::fixture();
    assert_eq!(found(&stage, ""), ALL);
    // libFuzzer writes the input that it made. It gets the bytes of the random case.
    let bugs = stage.bugs("repeated");
    let hanging = bugs.iter().find(|bug| bug.report["kind"] == "timeout").unwrap();
    let written: Vec<Vec<u8>> =
        stage.artifacts().iter().map(|file| std::fs::read(file).unwrap()).collect();
    assert!(written.contains(&hanging.original()), "{:?} {written:?}", hanging.original());
}

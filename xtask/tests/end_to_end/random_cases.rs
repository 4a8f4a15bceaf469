//! Random cases at the start of a run under libFuzzer.

use crate::stage::{Stage, outcome};

/// The three bugs of `repeated` need a large number twice, which mutations of an empty corpus do
/// not make so soon.
#[test]
fn a_random_case_that_panics_dies_or_hangs_is_kept_with_its_input() {
    let stage = Stage::fixture();
    let found = |without: &str| {
        let mut binary = stage.binary("repeated");
        binary.args(["-runs=400", "-seed=1", "-timeout=2"]).env("DWINDLE_WITHOUT", without);
        outcome(&mut binary)
    };
    let ended = found("random-cases");
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let ended = found("");
    ended.says("400 executions");
    let bugs = stage.bugs("repeated");
    let mut kinds: Vec<&str> =
        bugs.iter().map(|bug| bug.report["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["abort", "panic", "timeout"], "{ended:#?}");
    // libFuzzer writes the input that it made. It gets the bytes of the random case.
    let hanging = bugs.iter().find(|bug| bug.report["kind"] == "timeout").unwrap();
    let written: Vec<Vec<u8>> =
        stage.artifacts().iter().map(|file| std::fs::read(file).unwrap()).collect();
    assert!(written.contains(&hanging.original()), "{ended:#?}");
}

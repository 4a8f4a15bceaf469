//! Which counters libFuzzer looks at.

use std::process::{Command, Stdio};

use crate::stage::{Stage, outcome};

#[test]
fn libfuzzer_gets_the_counters_that_were_reached() {
    let stage = Stage::fixture();
    let ended =
        outcome(stage.binary("sound").args(["-runs=2000", "-seed=1"]).arg(stage.path("corpus")));
    let all =
        before(&ended.stderr, " inline 8-bit counters; libFuzzer gets them as they are reached");
    let at_first = before(&ended.stderr, " inline 8-bit counters): ");
    assert!(at_first * 20 < all, "{at_first} of {all}");
    // Those of the first execution, and those that come to them.
    let covered = |word: &str| {
        ended
            .stderr
            .lines()
            .find(|line| line.contains(word))
            .map_or(0, |line| before(line.split_once("cov: ").unwrap().1, " ft: "))
    };
    assert!(0 < covered("INITED") && covered("INITED") < covered("DONE"), "{ended:#?}");
}

#[test]
fn libfuzzer_gets_all_counters_when_processes_compare_coverage() {
    let stage = Stage::fixture();
    let plain =
        outcome(stage.binary("sound").args(["-runs=1", "-seed=1"]).arg(stage.path("corpus")));
    let all =
        before(&plain.stderr, " inline 8-bit counters; libFuzzer gets them as they are reached");
    for argument in ["-use_value_profile=1", "-focus_function=nothing_of_this_name", "-merge=1"] {
        let ended = outcome(
            stage
                .binary("sound")
                .args(["-runs=1", argument])
                .arg(stage.path("corpus"))
                .arg(stage.path("artifacts")),
        );
        assert_eq!(
            before(&ended.stderr, " inline 8-bit counters): "),
            all,
            "{argument}: {ended:#?}"
        );
    }
}

/// How many counters of dwindle a short run of this executable leaves out.
fn left_out(command: &mut Command) -> usize {
    let ended = outcome(command.args(["-runs=2000", "-seed=1"]));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    before(&ended.stderr, " counters of dwindle's own code are left out")
}

#[test]
fn the_code_of_dwindle_counts_in_a_target_that_tests_dwindle() {
    let stage = Stage::fixture();
    let [others, tested] =
        ["sound", "under_test"].map(|target| left_out(&mut stage.binary(target)));
    assert!(0 < tested && tested * 50 < others, "{tested}, {others}");
}

#[test]
fn without_symbols_only_the_function_around_the_target_is_left_out() {
    let stage = Stage::fixture();
    let mut whole = stage.binary("sound");
    let stripped = stage.path("stripped");
    let strip = Command::new("strip").arg(whole.get_program()).arg("-o").arg(&stripped).status();
    assert!(strip.unwrap().success());
    let mut command = Command::new(&stripped);
    command.env("DWINDLE_STORE", stage.path("store"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (few, all) = (left_out(&mut command), left_out(&mut whole));
    assert!(0 < few && few * 50 < all, "{few}, {all}");
}

/// What people read of the estimate.
const WORDS: &str = "new coverage in the next minute: ";

#[test]
fn a_run_estimates_new_coverage_in_its_lines_and_at_its_end() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run("sound", &["--max-time", "12"], &[]));
    assert!(
        ended.stderr.lines().any(|line| line.contains("/s  ") && line.contains(WORDS)),
        "{ended:#?}"
    );
    let (_, end) = ended.stdout.split_once(" executions in ").expect(&ended.stdout);
    let estimates: Vec<&str> = end.lines().filter(|line| line.starts_with(WORDS)).collect();
    assert!(estimates.len() == 1 && estimates[0].ends_with(" % likely"), "{ended:#?}");
}

#[test]
fn the_events_have_the_estimate() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run("maze", &["--max-time", "9", "--json"], &[]));
    let beats = ended.events("heartbeat");
    let first = beats.first().expect("a run has heartbeats");
    assert!(first.get("new_coverage").is_none(), "{first}");
    let end = &ended.events("end")[0]["new_coverage"];
    for estimate in [&beats[beats.len() - 1]["new_coverage"], end] {
        let chance = estimate["chance"].as_f64().expect("the estimate has a chance");
        let expected = estimate["expected"].as_f64().expect("the estimate has a number");
        assert!(0.0 < chance && chance <= 1.0 && chance < expected, "{estimate}");
        assert!(estimate["times"].as_u64().is_some_and(|times| times > 0), "{estimate}");
    }
}

#[test]
fn runs_without_coverage_and_short_runs_estimate_nothing() {
    let stage = Stage::fixture();
    for (options, arguments) in [
        (&["--engine", "random", "--max-time", "7"][..], &[][..]),
        (&["--max-time", "7"], &["-fork=2"]),
        (&[], &["-runs=2000"]),
    ] {
        let ended = outcome(&mut stage.run("sound", options, arguments));
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        assert!(!ended.stderr.contains(WORDS) && !ended.stdout.contains(WORDS), "{ended:#?}");
    }
}

/// The number in front of some words.
fn before(text: &str, words: &str) -> usize {
    let (text, _) =
        text.split_once(words).unwrap_or_else(|| panic!("{words:?} is not said in {text}"));
    let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    text[text.len() - digits..].parse().unwrap()
}

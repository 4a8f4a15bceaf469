//! The switchboard: each mechanism can be switched off alone, and a run says so.

use crate::stage::{Outcome, Stage, outcome};

const NAMES: [&str; 15] = [
    "lazy-counters",
    "snapshots",
    "prescreen",
    "dictionary",
    "choice-mutations",
    "random-cases",
    "energy",
    "short-rows",
    "late-files",
    "huge-pages",
    "scores",
    "silenced-tracing",
    "spinning",
    "spare-worker",
    "unwatched-frames",
];

/// The target `twenty`, in which inputs die often, without some of it.
fn twenty(without: &str) -> Outcome {
    let stage = Stage::fixture();
    let mut binary = stage.binary("twenty");
    let ended = outcome(
        binary
            .args(["-runs=8000", "-seed=1"])
            .arg(stage.path("corpus"))
            .env("DWINDLE_WITHOUT", without),
    );
    assert_eq!(ended.code, Some(77), "without {without}: {ended:#?}");
    assert!(stage.bugs("twenty").len() >= 5, "without {without}: {ended:#?}");
    stage.leaves_no_process();
    ended
}

#[test]
fn each_switch_is_off_alone_and_the_first_lines_say_so() {
    for name in NAMES {
        let ended = twenty(name);
        let others: Vec<&str> = NAMES.into_iter().filter(|other| *other != name).collect();
        let line = ended.stderr.lines().position(|line| {
            line == format!("dwindle: switches on: {}; switched off: {name}", others.join(", "))
        });
        assert!(line.is_some_and(|line| line < 10), "{ended:#?}");
        let starts = ended.stderr.matches("INFO: Seed:").count();
        let deaths = number_before(&ended.stderr, " deaths").unwrap_or(0)
            - number_before(&ended.stderr, " did\n").unwrap_or(0);
        if name == "snapshots" {
            assert_eq!(
                starts as u64,
                deaths + 1,
                "each death without a snapshot is a new start: {ended:#?}"
            );
        } else {
            assert!((starts as u64) < deaths, "{starts} starts for {deaths} deaths: {ended:#?}");
        }
        assert_eq!(
            ended.stderr.contains("Dictionary: "),
            name == "choice-mutations",
            "without {name}: {ended:#?}"
        );
        assert_eq!(
            ended.stderr.contains("libFuzzer gets them as they are reached"),
            name != "lazy-counters",
            "without {name}: {ended:#?}"
        );
        assert_eq!(
            ended.stderr.contains("MS: 1 Custom-"),
            name != "choice-mutations",
            "without {name}: {ended:#?}"
        );
        if name == "prescreen" {
            assert!(!ended.stderr.contains("ran first in a separate process"), "{ended:#?}");
        }
    }
}

/// The number that stands before these words.
fn number_before(text: &str, words: &str) -> Option<u64> {
    text[..text.find(words)?].rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn all_switches_together_may_be_off() {
    let ended = twenty(&NAMES.join(","));
    ended.says(&format!("dwindle: switches on: none; switched off: {}", NAMES.join(", ")));
}

#[test]
fn a_run_with_all_switches_on_says_so() {
    let ended = twenty("");
    ended.says(&format!("dwindle: switches on: {}\n", NAMES.join(", ")));
}

#[test]
fn an_operator_of_mutations_may_be_off() {
    let ended = twenty("swap");
    ended.says(&format!("dwindle: switches on: {}; switched off: swap\n", NAMES.join(", ")));
}

#[test]
fn a_wrong_switch_name_is_wrong_use_and_lists_the_names() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("two_bugs");
    binary.arg("-runs=1");
    let mut show = stage.dwindle("show", "two_bugs");
    show.arg(stage.file("input", b"1"));
    for mut command in [stage.run("two_bugs", &[], &["-runs=1"]), show, binary] {
        let ended = outcome(command.env("DWINDLE_WITHOUT", "snapshots,copies"));
        assert_eq!(ended.code, Some(2), "{ended:#?}");
        ended.says("copies is not a switch; expected lazy-counters, snapshots");
        ended.says(", or an operator: exchange, tail");
    }
}

#[test]
fn the_start_event_lists_the_switches() {
    let stage = Stage::fixture();
    let ended = outcome(
        stage
            .run("two_bugs", &["--json"], &["-runs=1"])
            .env("DWINDLE_WITHOUT", "snapshots, spinning"),
    );
    let start = &ended.events("start")[0];
    assert_eq!(start["switches_off"], serde_json::json!(["snapshots", "spinning"]), "{ended:#?}");
    assert_eq!(start["switches_on"].as_array().map(Vec::len), Some(NAMES.len() - 2), "{ended:#?}");
}

#[test]
fn with_dwindle_off_every_switch_is_off() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("sound");
    let ended = outcome(
        binary
            .args(["-runs=100", "-seed=1"])
            .env("DWINDLE", "off")
            .env("DWINDLE_WITHOUT", "no name at all"),
    );
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(
        !ended.stderr.contains("dwindle") && !ended.stderr.contains("as they are reached"),
        "{ended:#?}"
    );
    assert!(!ended.stderr.contains("Dictionary: "), "{ended:#?}");
}

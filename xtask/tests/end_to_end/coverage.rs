//! Which counters libFuzzer looks at.

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

/// The number in front of some words.
fn before(text: &str, words: &str) -> usize {
    let (text, _) =
        text.split_once(words).unwrap_or_else(|| panic!("{words:?} is not said in {text}"));
    let digits = text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    text[text.len() - digits..].parse().unwrap()
}

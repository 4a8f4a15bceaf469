//! The constants and words that the target compares with. libFuzzer gets them as a dictionary, or
//! dwindle's mutator puts them into inputs.

use crate::stage::{Stage, names_in, outcome};

#[test]
fn the_constants_of_the_target_are_a_dictionary_until_the_run_ends() {
    let stage = Stage::fixture();
    let ended = outcome(
        stage
            .binary("twenty")
            .args(["-runs=100", "-seed=1"])
            .arg(stage.path("corpus"))
            .env("TMPDIR", stage.path("artifacts"))
            .env("DWINDLE_WITHOUT", "choice-mutations"),
    );
    ended.says("Dictionary: ");
    let left: Vec<String> = names_in(&stage.path("artifacts"))
        .into_iter()
        .filter(|name| name.starts_with("dwindle-dictionary"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_dictionary_of_the_user_is_used_alone() {
    let stage = Stage::fixture();
    let dictionary = stage.file("words", b"\"abc\"\n");
    let ended = outcome(
        stage
            .binary("twenty")
            .arg(format!("-dict={}", dictionary.display()))
            .arg("-runs=100")
            .arg(stage.path("corpus")),
    );
    ended.says("Dictionary: 1 entries");
}

#[test]
fn a_target_without_such_constants_has_no_dictionary() {
    let stage = Stage::fixture();
    let mut binary = stage.binary("two_bugs");
    binary.args(["-runs=100", "-seed=1"]).arg(stage.path("corpus"));
    let ended = outcome(binary.env("DWINDLE_WITHOUT", "choice-mutations"));
    assert!(!ended.stderr.contains("Dictionary:"), "{ended:#?}");
}

/// Four comparisons of two bytes stand one behind the other. With constants that takes about
/// 100,000 executions, and without them more than 3,000,000.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_mutator_puts_in_constants() {
    let stage = Stage::fixture();
    let run = |name: &str, value: &str| {
        let mut binary = stage.binary("constants");
        let ended = outcome(binary.args(["-runs=1000000", "-seed=1"]).env(name, value));
        assert!(!ended.stderr.contains("Dictionary:"), "{ended:#?}");
        ended
    };
    run("DWINDLE_WITHOUT", "dictionary").says("1000000 executions");
    assert!(stage.bugs("constants").is_empty());
    run("DWINDLE_STOP", "first");
    assert_eq!(stage.only_bug("constants").draws(), "[14993, 50765, 29176, 40485]");
}

/// With the keywords, a run finds the bug in less than 100,000 executions.
#[cfg(target_arch = "x86_64")]
#[test]
fn the_mutator_puts_in_words() {
    let stage = Stage::fixture();
    let run = |name: &str, value: &str| {
        let mut binary = stage.binary("keywords");
        outcome(binary.args(["-runs=1000000", "-seed=1"]).env(name, value))
    };
    run("DWINDLE_WITHOUT", "dictionary").says("1000000 executions");
    assert!(stage.bugs("keywords").is_empty());
    run("DWINDLE_STOP", "first");
    assert_eq!(stage.only_bug("keywords").draws(), "\"endfor exclude otherwise\"");
}

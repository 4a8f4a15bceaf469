//! The constants that libFuzzer gets as a dictionary.

use crate::stage::{Stage, names_in, outcome};

#[test]
fn the_constants_of_the_target_are_a_dictionary_until_the_run_ends() {
    let stage = Stage::fixture();
    let ended = outcome(
        stage
            .binary("twenty")
            .args(["-runs=100", "-seed=1"])
            .arg(stage.path("corpus"))
            .env("TMPDIR", stage.path("artifacts")),
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
    let ended =
        outcome(stage.binary("two_bugs").args(["-runs=100", "-seed=1"]).arg(stage.path("corpus")));
    assert!(!ended.stderr.contains("Dictionary:"), "{ended:#?}");
}

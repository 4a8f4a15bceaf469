//! What cannot be done is said at once, before anything is built, with exit code 2.

use crate::fixture::Fixture;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;

#[test]
fn a_wrong_target_names_the_nearest_and_lists_all() {
    let fixture = Fixture::new("");
    fixture.dwindle(&["run", "alpa"]).assert().code(2).stdout("").stderr(
        contains("no target named `alpa`")
            .and(contains("did you mean `alpha`?"))
            .and(contains("\n  alpha\n  beta\n")),
    );
    assert!(!fixture.path("build-args").exists());
}

#[test]
fn without_a_fuzz_crate_it_says_what_one_is() {
    let fixture = Fixture::new("");
    let nowhere = tempfile::tempdir().unwrap();
    fixture
        .dwindle(&["run", "alpha"])
        .current_dir(nowhere.path())
        .assert()
        .code(2)
        .stderr(contains("no fuzz crate").and(contains("cargo-fuzz = true")));
}

#[test]
fn a_fuzz_dir_must_be_a_fuzz_crate() {
    let fixture = Fixture::new("");
    fixture
        .dwindle(&["run", "alpha", "--fuzz-dir", "nowhere"])
        .assert()
        .code(2)
        .stderr(contains("holds no Cargo.toml"));
    fs::create_dir(fixture.path("plain")).unwrap();
    fs::write(fixture.path("plain/Cargo.toml"), "[package]\nname = \"plain\"\n").unwrap();
    fixture
        .dwindle(&["run", "alpha", "--fuzz-dir", "plain"])
        .assert()
        .code(2)
        .stderr(contains("not marked as a fuzz crate"));
}

#[test]
fn the_fuzz_crate_is_found_from_below_and_from_inside() {
    let fixture =
        Fixture::new("send {\"event\":\"end\",\"command\":\"run\",\"text\":\"the end\"}\nexit 0");
    let below = fixture.path("src/deep");
    fs::create_dir_all(&below).unwrap();
    for folder in [below, fixture.path("fuzz"), fixture.path("fuzz/src")] {
        fixture.dwindle(&["run", "alpha"]).current_dir(folder).assert().code(0).stdout("the end\n");
    }
}

#[test]
fn files_are_looked_at_before_the_build() {
    let fixture = Fixture::new("");
    fs::write(fixture.path("good"), "x").unwrap();
    fs::create_dir(fixture.path("empty")).unwrap();
    for command in ["min", "show"] {
        fixture
            .dwindle(&[command, "alpha", "gone"])
            .assert()
            .code(2)
            .stderr(contains("cannot read gone"));
        fixture
            .dwindle(&[command, "alpha", "empty"])
            .assert()
            .code(2)
            .stderr(contains("empty is a folder"));
        fs::File::create(fixture.path("huge")).unwrap().set_len(1 << 30).unwrap();
        let words = contains(
            "huge has 1073741824 bytes, and an input has at most 67108864; name another file, or \
             cut it",
        );
        fixture.dwindle(&[command, "alpha", "huge"]).assert().code(2).stderr(words);
    }
    fixture.dwindle(&["min", "alpha", "good", "gone"]).assert().code(2);
    fixture.dwindle(&["min", "alpha"]).assert().code(2);
    assert!(!fixture.path("build-args").exists());
}

#[test]
fn corpora_are_folders_and_the_random_engine_has_none() {
    let fixture = Fixture::new("");
    fixture
        .dwindle(&["run", "alpha", "gone"])
        .assert()
        .code(2)
        .stderr(contains("gone does not exist"));
    fixture
        .dwindle(&["run", "alpha", "script"])
        .assert()
        .code(2)
        .stderr(contains("script is a file"));
    fixture
        .dwindle(&["run", "alpha", "fuzz", "--engine", "random"])
        .assert()
        .code(2)
        .stderr(contains("no corpus"));
    assert!(!fixture.path("build-args").exists());
}

#[test]
fn options_without_sense_are_refused() {
    let fixture = Fixture::new("");
    for wrong in [
        ["--budget", "5m"],
        ["--budget", "0"],
        ["--max-time", "0"],
        ["--engine", "quantum"],
        ["--sanitizer", "hand"],
    ] {
        fixture.dwindle(&["run", "alpha", wrong[0], wrong[1]]).assert().code(2);
    }
}

#[test]
fn help_is_the_same_as_a_subcommand_of_cargo_and_alone() {
    let fixture = Fixture::new("");
    for command in ["init", "add", "list", "run", "min", "triage", "show", "check", "merge"] {
        let alone = fixture
            .dwindle(&[command, "--help"])
            .assert()
            .code(0)
            .stdout(contains("Exit codes:").and(contains("Examples:")));
        let under_cargo = fixture.dwindle(&["dwindle", command, "--help"]).assert().code(0);
        assert_eq!(alone.get_output().stdout, under_cargo.get_output().stdout);
    }
}

//! Targets with a mutator and a crossover of their own, in the words of libfuzzer-sys.

use std::fs;
use std::process::Stdio;

use xtask::tools;

use crate::repro::{cargo_test, copy_fixture};
use crate::stage::{Outcome, Stage, names_in, outcome};

/// What a run has to find: one bug behind the mutator, one behind the crossover.
#[track_caller]
fn finds_both(stage: &Stage, ended: &Outcome) {
    assert_eq!(names_in(&stage.path("store/custom_mutator")).len(), 2, "{ended:#?}");
    ended.says("reached by the mutator");
    ended.says("reached by the crossover");
}

#[test]
fn a_target_behind_a_checksum_is_reached_through_its_mutator() {
    let stage = Stage::fixture();
    let ended =
        outcome(&mut stage.run("custom_mutator", &[], &["-seed=1", "-max_len=32", "-runs=100000"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    finds_both(&stage, &ended);
    // What does not fuzz calls none of them.
    for bug in names_in(&stage.path("store/custom_mutator")) {
        let input = stage.path("store/custom_mutator").join(bug).join("input");
        for command in ["show", "min"] {
            let again = outcome(stage.dwindle(command, "custom_mutator").arg(&input));
            assert_eq!(again.code, Some(1), "{again:#?}");
            again.says("reached by the ");
        }
    }
    let checked = outcome(&mut stage.dwindle("check", "custom_mutator"));
    assert_eq!(checked.code, Some(1), "{checked:#?}");
    checked.says("2 still failing");
}

#[test]
fn cargo_fuzz_calls_the_mutator_too() {
    let stage = Stage::fixture();
    let ended =
        outcome(&mut stage.fuzz_run("custom_mutator", &["-seed=1", "-max_len=32", "-runs=100000"]));
    ended.says("exit status: 77");
    ended.says("found LLVMFuzzerCustomMutator");
    finds_both(&stage, &ended);
}

#[test]
fn other_engines_do_not_call_the_mutator_of_a_target() {
    let stage = Stage::fixture();
    for target in ["custom_mutator", "mutator_panics"] {
        let ended =
            outcome(&mut stage.run(target, &["--engine", "random"], &["-seed=1", "-runs=2000"]));
        assert!(matches!(ended.code, Some(0 | 1)), "{ended:#?}");
        assert!(!ended.stderr.contains("mutator cannot go on"), "{ended:#?}");
    }
}

#[test]
fn a_target_with_a_mutator_compiles_without_warnings_for_every_engine() {
    for features in ["libfuzzer", "afl", ""] {
        let mut check = tools::cargo();
        check.args([
            "check",
            "--no-default-features",
            "--features",
            features,
            "--bin",
            "custom_mutator",
            "--bin",
            "mutator_panics",
        ]);
        check
            .current_dir(tools::root().join("xtask/tests/fixture"))
            .env("CARGO_TARGET_DIR", tools::fuzz_target_dir());
        let ended = outcome(check.stdout(Stdio::piped()).stderr(Stdio::piped()));
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        assert!(!ended.stderr.contains("warning"), "{ended:#?}");
    }
}

#[test]
fn a_mutator_that_panics_is_wrong_use_and_not_a_bug() {
    let stage = Stage::fixture();
    let ended =
        outcome(&mut stage.run("mutator_panics", &[], &["-seed=1", "-max_len=32", "-runs=100000"]));
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    ended.says(
        "the mutator of the target panicked at fuzz_targets/mutator_panics.rs:15:9: the mutator \
         cannot go on",
    );
    assert_eq!(names_in(&stage.path("store/mutator_panics")), [""; 0]);
}

#[test]
fn a_mutator_that_ends_its_process_is_wrong_use_and_not_a_bug() {
    let stage = Stage::fixture();
    let mut run = stage.run("mutator_panics", &[], &["-seed=1", "-max_len=32", "-runs=100000"]);
    let ended = outcome(run.env("FIXTURE_MUTATOR_ABORTS", "1"));
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    ended.says("the mutator or the crossover of the target ended its process");
    assert_eq!(names_in(&stage.path("store/mutator_panics")), [""; 0]);
}

#[test]
fn without_dwindle_a_mutator_is_called_as_in_libfuzzer_sys() {
    let stage = Stage::fixture();
    let crash = stage.crash_file("custom_mutator");
    let ended = outcome(stage.dwindle("min", "custom_mutator").arg(&crash));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
}

#[test]
fn a_test_of_a_bug_builds_beside_a_mutator_and_fails() {
    let stage = Stage::fixture();
    let fuzz = stage.path("fuzz");
    copy_fixture(&fuzz);
    fs::create_dir(fuzz.join("tests")).unwrap();
    let found = outcome(&mut stage.run(
        "custom_mutator",
        &["--stop-on-first"],
        &["-seed=1", "-max_len=32", "-runs=100000"],
    ));
    assert_eq!(found.code, Some(1), "{found:#?}");
    let bug = names_in(&stage.path("store/custom_mutator")).remove(0);
    let repro =
        fs::read_to_string(stage.path("store/custom_mutator").join(bug).join("repro.rs")).unwrap();
    // Two targets in one test: each would define the symbols that libFuzzer looks for.
    let both = format!("{repro}\n#[path = \"../fuzz_targets/mutator_panics.rs\"]\nmod other;\n");
    fs::write(fuzz.join("tests/both.rs"), both).unwrap();
    let failed = outcome(&mut cargo_test(&stage, "both"));
    assert_eq!(failed.code, Some(101), "{failed:#?}");
    failed.says("reached by the ");
}

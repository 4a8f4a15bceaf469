//! `cargo +nightly fuzz run`, with `AddressSanitizer`: what users of cargo-fuzz see.

use std::fs;

use crate::bugs::Bug;
use crate::stage::{Stage, outcome};

#[test]
fn a_run_goes_on_after_its_first_bug_and_ends_with_the_code_of_a_failure() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.fuzz_run("two_bugs", &["-seed=1", "-runs=100000"]));
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    ended.says("exit status: 77");
    let bugs = stage.bugs("two_bugs");
    assert_eq!(bugs.iter().map(Bug::draws).collect::<Vec<_>>(), ["[0, 0, 0]", "[42]"]);
    let artifacts: Vec<_> = stage.artifacts().iter().map(|path| fs::read(path).unwrap()).collect();
    for bug in &bugs {
        assert!(artifacts.contains(&fs::read(bug.input()).unwrap()), "{} is no artifact", bug.id());
        ended.says(bug.id());
        ended.says(bug.message());
        ended.says(&format!(
            "cargo fuzz run two_bugs {}",
            bug.input().strip_prefix(stage.path("")).unwrap().display()
        ));

        let again = outcome(stage.fuzz("run", "two_bugs").arg(bug.input()));
        assert_ne!(again.code, Some(0), "{again:#?}");
        again.says(&format!("draw  {}", bug.draws()));
        again.says("panicked at");
        again.says(bug.message());
    }
    assert_eq!(artifacts.len(), 2);
}

#[test]
fn a_run_in_which_nothing_fails_succeeds() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.fuzz_run("sound", &["-runs=2000"]));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("nothing failed");
}

#[test]
fn libfuzzer_shows_its_help_and_leaks_nothing() {
    let ended = outcome(&mut Stage::fixture().fuzz_run("sound", &["-help=1"]));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("-max_total_time");
}

#[test]
fn several_bugs_of_a_real_crate_are_kept_apart() {
    let stage = Stage::ours();
    let ended = outcome(&mut stage.fuzz_run("url_setters", &["-seed=1", "-runs=40000"]));
    ended.says("exit status: 77");
    let bugs = stage.bugs("url_setters");
    assert!(bugs.len() >= 3, "{bugs:#?}");
    for bug in &bugs {
        let again = outcome(stage.fuzz("run", "url_setters").arg(bug.input()));
        assert_ne!(again.code, Some(0), "{again:#?}");
        again.says("draw  Session");
        again.says("panicked at");
    }
}

#[test]
fn dwindle_off_dies_as_plain_libfuzzer_does() {
    let stage = Stage::fixture();
    let ended =
        outcome(stage.fuzz_run("two_bugs", &["-seed=1", "-runs=100000"]).env("DWINDLE", "off"));
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    for words in ["panicked at", "libFuzzer: deadly signal", "Test unit written to"] {
        ended.says(words);
    }
    assert!(!ended.stderr.contains("dwindle: "), "{ended:#?}");
    assert!(!stage.path("store").exists());
    assert_eq!(stage.artifacts().len(), 1);
}

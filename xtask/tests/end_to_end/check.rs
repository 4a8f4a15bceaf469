//! `cargo dwindle check` on bugs that end the process, that come and go, and whose files were
//! changed.

use std::fs;

use crate::stage::{Stage, outcome};

#[test]
fn bugs_that_end_the_process_are_checked_one_after_the_other() {
    let stage = Stage::fixture();
    // Which way to fail, and a number from 10 on: a panic, an abort, a null write, a stack
    // overflow, an endless loop, an exit.
    let ways = [1u8, 5, 6, 9, 10, 12];
    let files: Vec<_> =
        ways.iter().map(|way| stage.file(&format!("way-{way}"), &[way + 1, 10, 0])).collect();
    let kept = outcome(stage.dwindle("min", "deadly").args(&files));
    assert_eq!(kept.code, Some(1), "{kept:#?}");
    let checked = outcome(stage.dwindle("check", "deadly").arg("--json"));
    assert_eq!(checked.code, Some(1), "{checked:#?}");
    let events = checked.events("checked");
    let mut kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    // Other panics are met while these are minimized.
    kinds.dedup();
    assert_eq!(kinds, ["abort", "exit", "panic", "segv", "stack-overflow", "timeout"]);
    for event in &events {
        assert_eq!(event["verdict"], "failing", "{event:#}");
    }
}

#[test]
fn a_bug_whose_first_hit_still_fails_is_not_fixed() {
    let stage = Stage::fixture();
    let kept = outcome(stage.dwindle("min", "two_bugs").arg(stage.file("crash", &[1, 7, 1, 42])));
    assert_eq!(kept.code, Some(1), "{kept:#?}");
    let bug = stage.only_bug("two_bugs");
    fs::write(bug.input(), [1, 5]).unwrap();
    let checked = outcome(stage.dwindle("check", "two_bugs").arg("--json"));
    assert_eq!(checked.code, Some(1), "{checked:#?}");
    let event = &checked.events("checked")[0];
    assert_eq!(event["verdict"], "failing", "{event:#}");
    assert!(event["file"].as_str().unwrap().contains("/original-"), "{event:#}");
}

#[test]
fn a_flaky_bug_that_does_not_show_itself_is_not_called_fixed() {
    let stage = Stage::fixture();
    let found = outcome(&mut stage.run("flaky", &["--engine", "random"], &["-runs=1000"]));
    assert_eq!(found.code, Some(1), "{found:#?}");
    assert_eq!(stage.only_bug("flaky").status(), "flaky");
    let checked = outcome(&mut stage.dwindle("check", "flaky"));
    assert_eq!(checked.code, Some(0), "{checked:#?}");
    checked.says("not seen       ");
    checked.says("it was flaky when it was kept");
}

#[test]
fn a_damaged_bug_is_the_environments_failure() {
    let stage = Stage::fixture();
    let kept = outcome(stage.dwindle("min", "two_bugs").arg(stage.file("crash", &[1, 42])));
    assert_eq!(kept.code, Some(1), "{kept:#?}");
    fs::write(stage.only_bug("two_bugs").dir.join("report.json"), "{").unwrap();
    let checked = outcome(&mut stage.dwindle("check", "two_bugs"));
    assert_eq!(checked.code, Some(3), "{checked:#?}");
    checked.says("report.json");
}

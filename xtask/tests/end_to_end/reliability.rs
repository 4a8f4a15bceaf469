//! Failures that come and go, and targets that keep state from one run to the next.

use crate::stage::{Stage, outcome};

#[test]
fn what_fails_once_in_three_is_minimized_as_flaky_with_its_rate() {
    let stage = Stage::fixture();
    let original = [1, 7, 1, 200, 1, 9, 0];
    let file = stage.file("crash", &original);
    let ended = outcome(stage.dwindle("min", "every_third").arg(&file));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("[100]");
    ended.says("flaky: the input fails in 10 of 30 runs");
    let bug = stage.only_bug("every_third");
    assert_eq!((bug.status(), bug.draws().as_str()), ("flaky", "[100]"));
    assert_eq!(bug.report["rate"], serde_json::json!({ "failed": 10, "of": 30 }));
    assert_eq!(bug.original(), original);
}

#[test]
fn what_fails_in_the_first_run_of_a_process_is_minimized_in_new_processes() {
    let stage = Stage::fixture();
    let file = stage.file("crash", &[1, 7, 1, 200, 1, 9, 0]);
    let ended = outcome(stage.dwindle("min", "first_only").arg(&file));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("fails only in a process in which nothing ran before");
    let bug = stage.only_bug("first_only");
    assert_eq!((bug.status(), bug.draws().as_str()), ("minimized", "[100]"));
    let again = outcome(stage.dwindle("show", "first_only").arg(bug.input()));
    assert_eq!(again.code, Some(1), "{again:#?}");
}

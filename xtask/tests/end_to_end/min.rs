//! `cargo dwindle min` and `cargo dwindle show`, on files that stock libFuzzer left.

use std::fs;

use crate::bugs::Bug;
use crate::stage::{Stage, names_in, outcome};

#[test]
fn a_crash_file_of_stock_libfuzzer_becomes_the_true_minimum_within_a_second() {
    let stage = Stage::ours();
    let crash = stage.crash_file("graphmap_remove_node");
    assert!(!stage.path("store").exists(), "DWINDLE=off has touched the store");

    let ended = outcome(stage.dwindle("min", "graphmap_remove_node").arg(&crash));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bug = stage.only_bug("graphmap_remove_node");
    assert_eq!(bug.draws(), "[AddEdge(0, 1), RemoveNode(1)]");
    assert_eq!(bug.status(), "minimized");
    assert!(bug.report["seconds"].as_f64().unwrap() < 1.0, "{bug:#?}");
    assert_eq!(bug.original(), fs::read(&crash).unwrap());

    let shown = outcome(stage.dwindle("show", "graphmap_remove_node").arg(bug.input()));
    assert_eq!(shown.code, Some(1), "{shown:#?}");
    assert!(
        shown.stdout.contains("[AddEdge(0, 1), RemoveNode(1)]") && shown.stdout.contains(bug.id()),
        "{shown:#?}"
    );
}

#[test]
fn an_input_that_does_not_fail_changes_nothing() {
    let stage = Stage::fixture();
    let harmless = stage.file("harmless", &[1, 5]);
    for (subcommand, words) in [("min", "does not fail"), ("show", "[5]")] {
        let ended = outcome(stage.dwindle(subcommand, "two_bugs").arg(&harmless));
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        assert!(ended.stdout.contains(words), "{ended:#?}");
        assert!(!stage.path("store").exists(), "{subcommand} has made a store");
    }
}

#[test]
fn an_input_that_the_target_rejects_does_not_fail() {
    let stage = Stage::fixture();
    let ended = outcome(stage.dwindle("min", "rejects_all").arg(stage.file("input", &[1])));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("does not fail: the target rejects it");
}

#[test]
fn of_several_files_each_is_told_of_and_each_bug_kept_once() {
    let stage = Stage::fixture();
    let files = [
        stage.file("one", &[1, 1, 9, 42, 0]),
        stage.file("two", &[1, 5]),
        stage.file("three", &[9, 9, 8, 8, 7, 7, 6, 6]),
        stage.file("four", &[2, 42]),
    ];
    let ended = outcome(stage.dwindle("min", "two_bugs").args(&files));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    for file in &files {
        ended.says(file.to_str().unwrap());
    }
    let draws: Vec<String> = stage.bugs("two_bugs").iter().map(Bug::draws).collect();
    assert_eq!(draws, ["[0, 0, 0]", "[42]"]);
}

#[test]
fn showing_a_failure_keeps_nothing() {
    let stage = Stage::fixture();
    let shown = outcome(stage.dwindle("show", "two_bugs").arg(stage.file("input", &[1, 42])));
    assert_eq!(shown.code, Some(1), "{shown:#?}");
    assert!(shown.stdout.contains("[42]") && shown.stdout.contains("the number 42"), "{shown:#?}");
    assert_eq!(names_in(&stage.path("")), ["artifacts", "corpus", "input"]);
}

#[test]
fn another_bug_met_on_the_way_is_kept_with_its_hit() {
    let stage = Stage::fixture();
    // Without its last number, 42, it fails in another way.
    let file = stage.file("input", &[1, 9, 1, 9, 1, 9, 1, 42, 0]);
    let ended = outcome(stage.dwindle("min", "two_bugs").arg(&file));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bugs = stage.bugs("two_bugs");
    let statuses: Vec<String> =
        bugs.iter().map(|bug| format!("{}: {}", bug.message(), bug.status())).collect();
    assert_eq!(statuses, ["more than two numbers: pending", "the number 42: minimized"]);
    assert!(bugs.iter().all(|bug| bug.hits() == 1), "{bugs:#?}");
}

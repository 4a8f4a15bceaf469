//! One run of `cargo dwindle run`, from its first line to its exit code.

use std::fs;

use crate::stage::{Stage, names_in, outcome};

#[test]
fn a_run_ends_at_its_first_bug_and_keeps_the_true_minimum() {
    let stage = Stage::ours();
    let ended = outcome(&mut stage.run(
        "graphmap_remove_node",
        &["--stop-on-first", "--max-time", "300"],
        &["-seed=1"],
    ));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert!(ended.stdout.contains("[AddEdge(0, 1), RemoveNode(1)]"), "{ended:#?}");
    let bug = stage.only_bug("graphmap_remove_node");
    assert_eq!(bug.draws(), "[AddEdge(0, 1), RemoveNode(1)]");
    assert_eq!(bug.status(), "minimized");
    ended.says(&format!(
        "cargo dwindle show graphmap_remove_node {}",
        bug.input().strip_prefix(stage.path("")).unwrap().display()
    ));
}

#[test]
fn a_bug_has_the_documented_files_and_fields() {
    let stage = Stage::fixture();
    let ended =
        outcome(&mut stage.run("two_bugs", &["--stop-on-first"], &["-seed=1", "-runs=1000000"]));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let bug = stage.only_bug("two_bugs");

    let names = names_in(&bug.dir);
    let [input, original, report, text, repro, steps, hits] = &names[..] else {
        panic!("{names:?}")
    };
    assert_eq!(
        [input, report, text, repro, steps, hits],
        ["input", "report.json", "report.txt", "repro.rs", "shrink.jsonl", "sightings"]
    );
    assert!(original.strip_prefix("original-").is_some_and(|hash| hash.len() >= 16), "{original}");
    assert!(bug.dir.ends_with(bug.id()) && bug.id().len() == 16, "{bug:?}");

    let mut fields: Vec<&str> =
        bug.report.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    let mut promised = vec![
        "format",
        "target",
        "bug_id",
        "kind",
        "message",
        "location",
        "frames",
        "value",
        "status",
        "original_bytes",
        "minimized_bytes",
        "original_choices",
        "minimized_choices",
        "calls",
        "seconds",
        "sightings",
        "first_seen",
        "engine",
        "byte_format",
        "signature_version",
        "no_smaller_among",
        "explanation",
    ];
    promised.sort_unstable();
    assert_eq!(fields, promised);
    assert_eq!(bug.report["target"], "two_bugs");
    assert_eq!(bug.report["kind"], "panic");
    assert_eq!(bug.report["engine"], "libfuzzer");
    assert_eq!(bug.report["minimized_bytes"], fs::metadata(bug.input()).unwrap().len());
    assert_eq!(bug.report["original_bytes"], bug.original().len());
    assert!(
        bug.report["location"].as_str().unwrap().starts_with("fuzz_targets/two_bugs.rs:"),
        "{bug:#?}"
    );
    assert!(
        bug.report["frames"][0].as_str().unwrap().contains("fuzz_targets/two_bugs.rs:"),
        "{bug:#?}"
    );
    assert!(bug.report["calls"].as_u64().unwrap() > 0);
}

#[test]
fn a_run_in_which_nothing_fails_says_so() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run("sound", &[], &["-runs=20000"]));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    ended.says("nothing failed");
    assert_eq!(stage.bugs("sound").len(), 0);
    assert_eq!(stage.artifacts().len(), 0);
    assert!(!names_in(&stage.path("corpus")).is_empty());
}

#[test]
fn a_target_that_rejects_everything_does_not_fail() {
    let stage = Stage::fixture();
    let ended = outcome(&mut stage.run("rejects_all", &[], &["-runs=20000"]));
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert_eq!(stage.bugs("rejects_all").len(), 0);
    assert_eq!(names_in(&stage.path("corpus")).len(), 0);
}

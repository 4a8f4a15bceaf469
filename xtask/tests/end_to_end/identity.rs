//! Each fault once: what damages memory is not a bug for each place where it shows, old ids stay,
//! and a target's own mistakes are no bugs.

use std::fs;
use std::path::Path;

use dwindle_corpus::BugId;
use serde_json::{Value, json};

use crate::bugs::Bug;
use crate::stage::{Stage, names_in, outcome};

/// A target that frees a block twice, alone: insert the key 7, remove it, remove it again.
const DOUBLE_FREE: [u8; 10] = [1, 7, 0, 0, 0, 2, 0, 2, 0, 0];

#[test]
fn a_fault_of_memory_is_few_bugs_in_a_plain_build() {
    let stage = Stage::fixture();
    for fault in ["double-free", "heap-overflow"] {
        let run = outcome(
            stage
                .run("corrupt", &[], &["-seed=1", "-max_total_time=6"])
                .env("CORRUPT_FAULT", fault)
                .env("DWINDLE_STORE", stage.path(fault)),
        );
        assert_eq!(run.code, Some(1), "{run:#?}");
        let bugs = stage.bugs_of(fault, "corrupt");
        assert!((1..=4).contains(&bugs.len()), "{fault}: {bugs:#?}");
        for place in bugs.iter().map(|bug| bug.report["location"].as_str().unwrap()) {
            assert!(
                !place.contains("Fuzzer")
                    && !place.contains("dwindle-")
                    && !place.contains("engine/src"),
                "{place}"
            );
        }
    }
}

#[test]
fn use_of_freed_memory_is_one_bug_with_a_sanitizer() {
    let stage = Stage::fixture();
    // Used by three operations after one and the same call has freed it: found, renamed, summed up.
    for (name, last) in [("get", &[4, 0][..]), ("rename", &[3, 0, 1][..]), ("sum", &[7][..])] {
        let input = [&[1, 9, 0, 0, 0, 2, 0][..], last, &[0]].concat();
        let file = stage.file(name, &input);
        let ended = outcome(
            stage
                .fuzz("run", "corrupt")
                .arg(&file)
                .env("CORRUPT_FAULT", "use-after-free")
                .env("DWINDLE_MODE", "triage"),
        );
        assert_eq!(ended.code, Some(1), "{ended:#?}");
    }
    let bug = stage.only_bug("corrupt");
    assert_eq!(
        (bug.report["kind"].as_str(), bug.report["signature_version"].as_u64()),
        (Some("asan"), Some(2)),
        "{bug:#?}"
    );
    assert_eq!(bug.hits(), 3);
}

#[test]
fn a_store_of_version_1_keeps_its_bugs() {
    let stage = Stage::fixture();
    let file = stage.file("crash", &DOUBLE_FREE);
    let min =
        || outcome(stage.dwindle("min", "corrupt").arg(&file).env("CORRUPT_FAULT", "double-free"));
    assert_eq!(min().code, Some(1));
    let new = stage.only_bug("corrupt");
    let new_id = new.id().to_owned();
    let old_id = made_old(&stage.path("store/corrupt"), &new);

    let check = || outcome(stage.dwindle("check", "corrupt").env("CORRUPT_FAULT", "double-free"));
    let checked = check();
    assert_eq!(checked.code, Some(1), "{checked:#?}");
    checked.says("1 bug checked, 1 still failing");

    // Found again it is no new bug, and its id by newer rules becomes an alias.
    assert_eq!(min().code, Some(1));
    let bug = stage.only_bug("corrupt");
    assert_eq!((bug.id(), &bug.report["aliases"]), (&*old_id, &json!([new_id])), "{bug:#?}");
    check().says("1 bug checked, 1 still failing");
    let run = outcome(
        stage
            .run("corrupt", &[], &["-seed=1", "-max_total_time=4"])
            .env("CORRUPT_FAULT", "double-free"),
    );
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(!names_in(&stage.path("store/corrupt")).contains(&new_id), "{run:#?}");
}

/// Makes of a bug what version 1 would have kept: its id was that of its kind and its three
/// innermost functions.
fn made_old(store: &Path, bug: &Bug) -> String {
    let frames = bug.report["frames"].as_array().unwrap();
    let functions = frames
        .iter()
        .take(3)
        .map(|frame| frame.as_str().unwrap().rsplit_once(" (").unwrap().0)
        .collect::<Vec<_>>()
        .join("\n");
    let id = BugId::of(&format!("{}\n\n{functions}\n", bug.report["kind"].as_str().unwrap()))
        .to_string();
    let mut report = bug.report.clone();
    let fields = report.as_object_mut().unwrap();
    fields.remove("aliases");
    fields.insert("bug_id".to_owned(), Value::from(id.as_str()));
    fields.insert("signature_version".to_owned(), Value::from(1));
    fs::write(bug.dir.join("report.json"), report.to_string()).unwrap();
    fs::rename(&bug.dir, store.join(&id)).unwrap();
    id
}

#[test]
fn a_mistake_of_the_target_is_no_bug() {
    let stage = Stage::fixture();
    let file = stage.file("mistake", &[95, 53, 0]);
    let commands = [
        stage.run("mistaken", &[], &["-runs=100000"]),
        stage.run("mistaken", &["--engine", "random"], &["-runs=100000"]),
        {
            let mut min = stage.dwindle("min", "mistaken");
            min.arg(&file);
            min
        },
        {
            let mut show = stage.dwindle("show", "mistaken");
            show.arg(&file);
            show
        },
        {
            let mut triage = stage.dwindle("triage", "mistaken");
            triage.arg(&file);
            triage
        },
    ];
    for mut command in commands {
        let ended = outcome(&mut command);
        assert_eq!(ended.code, Some(2), "{ended:#?}");
        ended.says("wrong use of dwindle: the range");
        ended.says("(at fuzz_targets/mistaken.rs:9:13)");
        assert!(stage.bugs("mistaken").is_empty());
    }
}

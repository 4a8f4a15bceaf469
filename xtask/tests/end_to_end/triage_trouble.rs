//! `cargo dwindle triage` on a store that is damaged, of another version, or not writable.

use std::fs;

use serde_json::json;
use xtask::crashes::{self, TARGET};

use crate::stage::{Stage, files_in, outcome};
use crate::triage::result;

#[test]
fn a_bug_in_another_byte_format_is_named() {
    let stage = Stage::fixture();
    let crash = stage.file("crash", &[2, 220]);
    assert_eq!(outcome(stage.dwindle("triage", TARGET).arg(&crash)).code, Some(1));
    let bug = stage.only_bug(TARGET);
    let mut report = bug.report.clone();
    report["byte_format"] = json!(0);
    fs::write(bug.dir.join("report.json"), report.to_string()).unwrap();
    let ended = outcome(stage.dwindle("triage", TARGET).arg(&crash));
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says(&format!(
        "the inputs of bug {} have byte format 0, but this target reads format 1",
        bug.id()
    ));
}

#[test]
fn damage_in_the_store_is_named_and_the_other_bugs_are_triaged() {
    let stage = Stage::fixture();
    crashes::write(&stage.path("files"), 10, 1).unwrap();
    let triage = || outcome(stage.dwindle("triage", TARGET).arg(stage.path("files")));
    assert_eq!(triage().code, Some(1));
    let [broken, robbed, ..] = &stage.bugs(TARGET)[..] else { panic!("not enough bugs") };
    fs::write(broken.dir.join("report.json"), "{").unwrap();
    let record = files_in(&robbed.dir.join("contents")).remove(0);
    fs::write(&record, "torn").unwrap();
    let ended = triage();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    ended.says("report.json is damaged, and dwindle does not use it");
    ended.says("is not a record of contents; remove it");
    assert_eq!(
        (fs::read(broken.dir.join("report.json")).unwrap(), fs::read(&record).unwrap()),
        (b"{".to_vec(), b"torn".to_vec())
    );
    fs::remove_file(record).unwrap();
    fs::remove_dir_all(&broken.dir).unwrap();
    assert_eq!(triage().code, Some(1));
    assert_eq!(
        stage
            .bugs(TARGET)
            .iter()
            .map(|bug| (bug.status().to_owned(), bug.hits()))
            .collect::<Vec<_>>(),
        vec![("minimized".to_owned(), 2); 5]
    );
}

#[test]
fn a_store_that_cannot_be_written_is_named() {
    let stage = Stage::fixture();
    crashes::write(&stage.path("files"), 5, 1).unwrap();
    let store = stage.file("file", b"no folder").join("store");
    let ended = outcome(
        stage.dwindle("triage", TARGET).arg(stage.path("files")).env("DWINDLE_STORE", &store),
    );
    assert_eq!(ended.code, Some(3), "{ended:#?}");
    ended.says(store.to_str().unwrap());
}

#[test]
fn the_next_triage_repairs_any_failed_write() {
    // Five bugs: claims of four files, a record for each, and what is minimized, of four files
    // again.
    for n in (1..=45).step_by(4) {
        let stage = Stage::fixture();
        crashes::write(&stage.path("files"), 5, 1).unwrap();
        let failed = outcome(
            stage
                .dwindle("triage", TARGET)
                .arg(stage.path("files"))
                .env("DWINDLE_FAULT_WRITE", n.to_string()),
        );
        assert_eq!(failed.code, Some(3), "write {n}: {failed:#?}");
        failed.says("No space left");
        let again = outcome(stage.dwindle("triage", TARGET).arg(stage.path("files")));
        assert_eq!(again.code, Some(1), "write {n}: {again:#?}");
        let result = result(&stage, "store");
        assert_eq!(result.len(), 5, "write {n}: {result:#?}");
        assert!(
            result
                .iter()
                .all(|(_, minimized, _, hits)| minimized.starts_with("minimized ") && *hits == 1),
            "write {n}: {result:#?}"
        );
    }
}

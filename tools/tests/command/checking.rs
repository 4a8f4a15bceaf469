//! `list` and `check`: what is said of stored bugs, and what is built for it.

use crate::fixture::Fixture;
use dwindle_corpus::{BugId, BugKind, BugStore, Report, Status};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::fs;

pub(crate) const CHECKED: &str = concat!(
    r#"send {"event":"checked","target":"alpha","bug_id":"0123456789abcdef","#,
    r#""verdict":"failing","kind":"panic","location":null,"message":"","directory":"","file":"","#,
    r#""runs":3,"failures":3,"now":null,"reason":null,"text":"still failing  0123456789abcdef"}"#
);

pub(crate) const END: &str = concat!(
    r#"send {"event":"end","command":"check","failing":1,"#,
    r#""text":"1 bug checked, 1 still failing"}"#
);

/// Puts a bug of `target` into a store.
pub(crate) fn keep(fixture: &Fixture, store: &str, target: &str, words: &str, status: Status) {
    let store = BugStore::open(&fixture.path(store), target).unwrap();
    let id = BugId::of(words);
    let report = Report::pending(target, id, BugKind::Panic);
    store.claim(id, b"as found", &report).unwrap();
    if status != Status::Pending {
        store.finish(id, b"a", &Report { status, ..report }, None).unwrap();
    }
}

#[test]
fn targets_are_listed_with_their_bugs() {
    let fixture = Fixture::new("");
    fixture.dwindle(&["list"]).assert().code(0).stdout("alpha\nbeta\n");
    keep(&fixture, "fuzz/crashes", "beta", "one", Status::Minimized);
    fixture.dwindle(&["list"]).assert().code(0).stdout("alpha\nbeta   1 bug\n");
    keep(&fixture, "fuzz/crashes", "beta", "two", Status::Pending);
    fixture.dwindle(&["list"]).assert().code(0).stdout("alpha\nbeta   2 bugs, 1 pending\n");
    fs::write(
        fixture.path("fuzz/crashes/beta").join(BugId::of("one").to_string()).join("report.json"),
        "{",
    )
    .unwrap();
    fixture
        .dwindle(&["list"])
        .assert()
        .code(0)
        .stdout("alpha\nbeta   1 bug, 1 pending, 1 damaged\n");
    fixture.dwindle(&["list", "--store", "elsewhere"]).assert().code(0).stdout("alpha\nbeta\n");
    let listed = fixture.dwindle(&["list", "--json"]).assert().code(0);
    let stdout = String::from_utf8(listed.get_output().stdout.clone()).unwrap();
    let events: Vec<Value> =
        stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[0], serde_json::json!({ "event": "schema", "version": 1 }));
    assert_eq!(events[1], serde_json::json!({ "event": "target", "target": "alpha" }));
    assert_eq!(
        events[2],
        serde_json::json!({ "event": "target", "target": "beta", "bugs": 1, "pending": 1,
                            "damaged": 1 })
    );
    assert_eq!(events[3], serde_json::json!({ "event": "exit", "code": 0 }));
    assert!(!fixture.path("build-args").exists());
}

#[test]
fn without_bugs_check_builds_nothing() {
    let fixture = Fixture::new("");
    for arguments in [&["check"][..], &["check", "alpha"]] {
        fixture
            .dwindle(arguments)
            .assert()
            .code(0)
            .stdout("nothing to check: no bugs in fuzz/crashes\n");
    }
    let json = fixture.dwindle(&["check", "--json"]).assert().code(0);
    assert_eq!(
        json.get_output().stdout,
        b"{\"event\":\"schema\",\"version\":1}\n{\"code\":0,\"event\":\"exit\"}\n"
    );
    fixture.dwindle(&["check", "alpa"]).assert().code(2).stderr(contains("did you mean `alpha`?"));
    assert!(!fixture.path("build-args").exists());
}

#[test]
fn only_targets_with_bugs_are_built_and_checked() {
    let fixture = Fixture::new(&format!("{CHECKED}\n{END}\nexit 1"));
    keep(&fixture, "kept", "beta", "one", Status::Minimized);
    keep(&fixture, "kept", "gone", "one", Status::Minimized);
    fixture
        .dwindle(&["check", "--store", "kept"])
        .assert()
        .code(1)
        .stdout("still failing  0123456789abcdef\n\n1 bug checked, 1 still failing\n")
        .stderr(contains("kept/gone holds bugs of `gone`, but the fuzz crate has no such target"));
    assert!(fixture.await_file("build-args").contains("--bin beta"));
    let environment = fixture.await_file("env");
    let store = fixture.path("kept").canonicalize().unwrap();
    for line in ["DWINDLE_MODE=check", &format!("DWINDLE_STORE={}", store.display())] {
        assert!(environment.lines().any(|known| known == line), "{line} not in {environment}");
    }
    assert_eq!(fixture.await_file("args"), "");
}

#[test]
fn the_worst_of_several_targets_decides_the_exit_code() {
    let fixture = Fixture::new(&format!("{CHECKED}\n{END}\nexit 0"));
    for target in ["alpha", "beta"] {
        keep(&fixture, "fuzz/crashes", target, "one", Status::Minimized);
    }
    fixture.dwindle(&["check"]).assert().code(0);
    for (theirs, ours) in [(1, 1), (3, 3)] {
        fs::write(
            fixture.path("script"),
            format!(
                "{CHECKED}\nsend {{\"event\":\"error\",\"text\":\"a bug is \
                 damaged\"}}\n{END}\nexit {theirs}"
            ),
        )
        .unwrap();
        fixture
            .dwindle(&["check"])
            .assert()
            .code(ours)
            .stderr(contains("a bug is damaged").and(contains("exited").not()));
    }
    fixture.dwindle(&["check"]).env("BUILD_FAILS", "1").assert().code(3);
}

//! `report`: a page about what the store holds, whatever state the store is in.

use crate::fixture::Fixture;
use dwindle_corpus::{BugId, BugKind, BugStore, Claim, Explanation, Report, Status, cause_key};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::fs;
use std::path::PathBuf;

/// A bug in the default store. Returns its folder.
fn keep(fixture: &Fixture, target: &str, words: &str, change: impl Fn(&mut Report)) -> PathBuf {
    let store = BugStore::open(&fixture.path("fuzz/crashes"), target).unwrap();
    let id = BugId::of(words);
    let pending = Report::pending(target, id, BugKind::Panic);
    store.claim(id, b"original", &pending).unwrap();
    let mut report = Report { status: Status::Minimized, ..pending };
    change(&mut report);
    store.finish(id, words.as_bytes(), &report, None).unwrap();
    store.bug(id).dir().to_owned()
}

fn page(fixture: &Fixture, arguments: &[&str]) -> String {
    let mut all = vec!["report", "--out", "page"];
    all.extend(arguments);
    fixture.dwindle(&all).assert().code(0);
    fs::read_to_string(fixture.path("page/index.html")).unwrap()
}

#[test]
fn the_page_has_the_bugs_of_all_targets_and_of_targets_that_are_gone() {
    let fixture = Fixture::new("");
    keep(&fixture, "beta", "a", |report| report.value = vec!["[1, 2]".to_owned()]);
    keep(&fixture, "gone", "b", |report| "the \x1b[31m<b>message".clone_into(&mut report.message));
    let html = page(&fixture, &[]);
    for text in [
        "Target beta",
        "[1, 2]",
        "Target gone",
        "The fuzz crate has no such target.",
        "\\u{1b}[31m&lt;b&gt;message",
        "There are no bugs and no runs of alpha.",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
    let html = page(&fixture, &["beta"]);
    assert!(html.contains("Target beta") && !html.contains("Target gone"), "{html}");
}

#[test]
fn the_command_says_what_is_on_the_page() {
    let fixture = Fixture::new("");
    keep(&fixture, "beta", "a", |_| {});
    fixture
        .dwindle(&["report", "--out", "page"])
        .assert()
        .code(0)
        .stdout("page/index.html: 1 bug, 0 variants\n");
    fixture
        .dwindle(&["report", "--out", "page", "--json"])
        .assert()
        .code(0)
        .stdout(contains("\"event\":\"page\"").and(contains("\"bugs\":1")));
}

#[test]
fn a_further_form_of_a_cause_is_not_on_the_page() {
    let fixture = Fixture::new("");
    keep(&fixture, "beta", "a", |_| {});
    let store = BugStore::open(&fixture.path("fuzz/crashes"), "beta").unwrap();
    let id = BugId::of("a");
    for (input, same_as) in [(b"1", None), (b"2", Some(String::new()))] {
        let key = cause_key(input);
        let report = Report::pending("beta", id, BugKind::Panic);
        assert_eq!(store.claim_variant(id, &key, input, &report).unwrap(), Claim::New);
        let report = Report { status: Status::Minimized, ..report };
        let variant = store.variant(id, &key);
        store.finish_variant(id, &key, input, &report, None).unwrap();
        store
            .explain(&variant, input, Box::new(Explanation { same_as, ..Explanation::default() }))
            .unwrap();
    }
    fixture
        .dwindle(&["report", "--out", "page"])
        .assert()
        .code(0)
        .stdout("page/index.html: 1 bug, 1 variant\n");
}

#[test]
fn a_store_without_bugs_gives_a_page() {
    let fixture = Fixture::new("");
    let html = page(&fixture, &[]);
    assert!(html.contains("There are no bugs and no runs of alpha, beta"), "{html}");
}

#[test]
fn damage_is_on_the_page_and_hides_no_other_bug() {
    let fixture = Fixture::new("");
    keep(&fixture, "beta", "sound", |report| "is whole".clone_into(&mut report.message));
    let broken = keep(&fixture, "beta", "broken", |_| {});
    fs::write(broken.join("report.json"), b"\xff{").unwrap();
    fs::write(fixture.path("fuzz/crashes/beta/notes.txt"), "mine").unwrap();
    // Another machine is about to write these.
    fs::create_dir(fixture.path("fuzz/crashes/beta/.tmp-1-2")).unwrap();
    fs::write(fixture.path("fuzz/crashes/beta.history.jsonl"), b"{\"run\":\"a\",\xff\n").unwrap();
    let html = page(&fixture, &[]);
    for text in ["Damaged in the store (2):", "notes.txt", "is not a report", "is whole"] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
}

#[test]
fn wrong_use_names_what_is_wrong() {
    let fixture = Fixture::new("");
    fixture
        .dwindle(&["report", "bet", "--out", "page"])
        .assert()
        .code(2)
        .stderr(contains("no target named `bet`").and(contains("`beta`")));
    fs::write(fixture.path("file"), "").unwrap();
    fixture
        .dwindle(&["report", "--out", "file"])
        .assert()
        .code(2)
        .stderr(contains("file is a file; name a folder for the page"));
    fixture.dwindle(&["report"]).assert().code(2).stderr(contains("--out"));
    fixture
        .dwindle(&["report", "--out", "page", "--observe", "missing/cases.jsonl"])
        .assert()
        .code(2)
        .stderr(contains("missing/cases.jsonl cannot be written"));
}

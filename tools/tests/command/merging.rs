//! `merge`: stores of several machines become one.

use crate::fixture::Fixture;
use dwindle_corpus::{BugId, BugKind, BugStore, Report, Status, Writer};
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;

/// A bug as one machine keeps it: seen so often, minimized to this.
fn keep(fixture: &Fixture, store: &str, words: &str, input: &[u8], hits: u64) {
    let store = BugStore::open(&fixture.path(store), "beta").unwrap();
    let id = BugId::of(words);
    let report = Report::pending("beta", id, BugKind::Panic);
    store.claim(id, format!("as {} found it", store.dir().display()).as_bytes(), &report).unwrap();
    store.finish(id, input, &Report { status: Status::Minimized, ..report }, None).unwrap();
    store.count(id, &Writer::this_process(), hits).unwrap();
}

#[test]
fn in_any_order_and_any_number_of_times_there_is_one_result() {
    let fixture = Fixture::new("");
    keep(&fixture, "one", "a", b"longer", 2);
    keep(&fixture, "one", "b", b"b", 1);
    keep(&fixture, "other", "a", b"a", 3);
    for (into, stores) in [
        ("into", &["one", "other"][..]),
        ("again", &["other", "one", "other"]),
        ("after", &["into", "one"]),
    ] {
        let mut arguments = vec!["merge", "--store", into];
        arguments.extend(stores);
        fixture.dwindle(&arguments).assert().code(0);
    }
    let [into, again, after] = ["into", "again", "after"]
        .map(|name| BugStore::open_existing(&fixture.path(name), "beta").unwrap());
    for store in [&into, &again, &after] {
        assert_eq!(store.ids().unwrap().len(), 2);
        for words in ["a", "b"] {
            let id = BugId::of(words);
            assert_eq!(fs::read(store.bug(id).input()).unwrap(), words.as_bytes());
            assert_eq!(store.hits(id).unwrap(), into.hits(id).unwrap());
            assert_eq!(store.bug(id).originals().unwrap().len(), if words == "a" { 2 } else { 1 });
        }
    }
}

#[test]
fn what_was_taken_is_said_and_goes_into_the_fuzz_crates_store() {
    let fixture = Fixture::new("");
    keep(&fixture, "one", "a", b"a", 1);
    fixture
        .dwindle(&["merge", "one"])
        .assert()
        .code(0)
        .stdout("beta: 1 bug new, 0 known, from one into fuzz/crashes/beta\n");
    keep(&fixture, "one", "b", b"b", 1);
    let said = fixture.dwindle(&["merge", "one", "--json"]).assert().code(0);
    let expected = "{\"event\":\"schema\",\"version\":1}\n{\"bugs_known\":1,\"bugs_new\":1,\"event\":\"merged\",\"from\":\"one\",\"target\":\"beta\"}\n{\"code\":0,\"event\":\"exit\"}\n";
    assert_eq!(said.get_output().stdout, expected.as_bytes());
    fixture.dwindle(&["list"]).assert().code(0).stdout("alpha\nbeta   2 bugs\n");
}

#[test]
fn what_cannot_be_read_is_left_out_and_named() {
    let fixture = Fixture::new("");
    keep(&fixture, "one", "a", b"a", 1);
    keep(&fixture, "one", "b", b"b", 1);
    let damaged = fixture.path("one/beta").join(BugId::of("a").to_string());
    fs::write(damaged.join("report.json"), "{").unwrap();
    let words = contains("warning: ")
        .and(contains(BugId::of("a").to_string()))
        .and(contains("is damaged and left out"));
    fixture
        .dwindle(&["merge", "one"])
        .assert()
        .code(0)
        .stderr(words)
        .stdout(contains("beta: 1 bug new"));
    assert_eq!(fs::read(damaged.join("report.json")).unwrap(), b"{");
}

#[test]
fn what_is_no_other_store_is_refused_before_anything_is_taken() {
    let fixture = Fixture::new("");
    keep(&fixture, "one", "a", b"a", 1);
    fs::create_dir(fixture.path("empty")).unwrap();
    fs::write(fixture.path("file"), "").unwrap();
    for (wrong, words) in [
        ("nowhere", "nowhere is not there"),
        ("file", "file is no folder"),
        ("empty", "empty holds no bugs"),
        ("one/beta", "one/beta is the folder of one target; a store is the folder above it"),
        ("into", "into is the store that the others are merged into"),
    ] {
        fs::create_dir_all(fixture.path("into")).unwrap();
        fixture
            .dwindle(&["merge", "one", wrong, "--store", "into"])
            .assert()
            .code(2)
            .stderr(contains(words));
        assert_eq!(fs::read_dir(fixture.path("into")).unwrap().count(), 0, "{wrong}");
    }
    fixture.dwindle(&["merge"]).assert().code(2);
}

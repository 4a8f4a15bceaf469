//! Bugs that have several ids, and bugs that are likely one.

use dwindle_corpus::{BugId, BugStore, Claim, Status};

use crate::sample::{ORIGINAL, SMALL, id, minimized, pending, quick_folder};

fn new_id() -> BugId {
    BugId::of("by newer rules")
}

#[test]
fn a_bug_keeps_its_folder_and_gets_its_newer_id_as_an_alias() {
    let root = quick_folder();
    let store = BugStore::open(root.path(), "parse").unwrap();
    assert_eq!(store.known_as(new_id(), Some(id())).unwrap(), new_id());
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    assert_eq!(store.known_as(new_id(), Some(id())).unwrap(), id());
    // As long as it has no alias, only the rules of before lead to it.
    assert_eq!(store.known_as(new_id(), None).unwrap(), new_id());
    for _ in 0..2 {
        store.add_alias(id(), new_id()).unwrap();
    }
    assert_eq!(store.known_as(new_id(), None).unwrap(), id());
    // Minimizing, which read the report before, does not take it away.
    store.finish(id(), SMALL, &minimized(SMALL, 3), None).unwrap();
    let report = store.bug(id()).read_report().unwrap();
    assert_eq!(
        (report.bug_id, report.aliases, report.status),
        (id(), vec![new_id()], Status::Minimized)
    );
}

#[test]
fn two_old_bugs_that_are_one_by_newer_rules_are_both_kept_and_listed_together() {
    let root = quick_folder();
    let store = BugStore::open(root.path(), "parse").unwrap();
    let (one, other, third) =
        (BugId::of("used here"), BugId::of("used there"), BugId::of("another"));
    for (old, input) in [(one, b"1"), (other, b"2"), (third, b"3")] {
        assert_eq!(store.claim(old, input, &pending()).unwrap(), Claim::New);
    }
    for old in [one, other] {
        assert_eq!(store.known_as(new_id(), Some(old)).unwrap(), old);
        store.add_alias(old, new_id()).unwrap();
    }
    let mut both = vec![one, other];
    both.sort();
    assert_eq!(store.likely_one_fault(&store.ids().unwrap()).unwrap(), [both]);
}

#[test]
fn bugs_of_one_minimized_input_are_listed_together() {
    let root = quick_folder();
    let store = BugStore::open(root.path(), "parse").unwrap();
    let ids = ["a", "b", "c", "d"].map(BugId::of);
    for id in ids {
        store.claim(id, ORIGINAL, &pending()).unwrap();
    }
    // What is pending has its original for an input, as others may.
    assert!(store.likely_one_fault(&ids).unwrap().is_empty());
    for (id, input) in ids.into_iter().zip([SMALL, b"other", SMALL, SMALL]) {
        store.finish(id, input, &minimized(input, 3), None).unwrap();
    }
    let mut group = vec![ids[0], ids[2], ids[3]];
    group.sort();
    assert_eq!(store.likely_one_fault(&ids).unwrap(), [group]);
    assert!(store.likely_one_fault(&ids[..2]).unwrap().is_empty());
}

#[test]
fn aliases_are_united_by_merges_in_any_order() {
    let root = quick_folder();
    let stores = ["a", "b"].map(|name| BugStore::open(&root.path().join(name), "parse").unwrap());
    for (store, alias) in stores.iter().zip(["x", "y"]) {
        store.claim(id(), ORIGINAL, &pending()).unwrap();
        store.add_alias(id(), BugId::of(alias)).unwrap();
    }
    let mut aliases = vec![BugId::of("x"), BugId::of("y")];
    aliases.sort();
    for (into, from) in [(0, 1), (1, 0)] {
        stores[into].merge_from(&stores[from]).unwrap();
        assert_eq!(stores[into].bug(id()).read_report().unwrap().aliases, aliases);
    }
}

//! Merging in any order, any number of times, with one result.

use std::fs;
use std::path::Path;

use dwindle_corpus::{BugId, BugStore, FaultPlan, Status, Writer};

use crate::sample::{ORIGINAL, SMALL, contents, id, minimized, pending, quick_folder, temporaries, tree};

/// Three stores that know the same bug in different states, and other bugs besides.
fn three_stores(root: &Path) -> [BugStore; 3] {
    let [a, b, c] = ["a", "b", "c"].map(|name| BugStore::open(&root.join(name), "parse").unwrap());
    let writer = |n| Writer::of("somewhere", n, "noon");

    a.claim(id(), ORIGINAL, &pending()).unwrap();
    a.count(id(), &writer(1), 5).unwrap();
    a.record(id(), &writer(1), &contents(0..20)).unwrap();
    a.claim_variant(id(), "k", b"variant of a", &pending()).unwrap();

    b.claim(id(), b"found elsewhere", &pending()).unwrap();
    b.finish(id(), b"aa", &minimized(b"aa", 2), Some("repro of b")).unwrap();
    b.count(id(), &writer(1), 7).unwrap();
    b.count(id(), &writer(2), 1).unwrap();
    // The same writer, who went on after its store was copied, and another one who met some of the same contents.
    b.record(id(), &writer(1), &contents(0..30)).unwrap();
    b.record(id(), &writer(2), &contents(25..40)).unwrap();
    b.claim(BugId::of("only b"), b"only b", &pending()).unwrap();

    c.claim(id(), b"found elsewhere too", &pending()).unwrap();
    c.finish(id(), SMALL, &minimized(SMALL, 3), Some("repro of c")).unwrap();
    c.count(id(), &writer(3), 2).unwrap();
    c.record(id(), &writer(3), &contents(10..50)).unwrap();
    c.claim_variant(id(), "k", b"variant of c", &pending()).unwrap();
    c.finish_variant(id(), "k", b"v", &minimized(b"v", 1), None).unwrap();
    // The same input with another report.
    c.claim(BugId::of("only b"), b"only b", &{
        let mut report = pending();
        report.message = String::from("said otherwise");
        report
    })
    .unwrap();
    [a, b, c]
}

#[test]
fn the_order_and_number_of_merges_do_not_matter() {
    let orders: [&[usize]; 8] = [&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0], &[0, 0, 1, 2, 1, 0], &[2, 1, 0, 2]];
    let mut results = Vec::new();
    for order in orders {
        let root = quick_folder();
        let stores = three_stores(root.path());
        let before = stores.each_ref().map(|store| tree(store.dir()));
        let all = BugStore::open(&root.path().join("all"), "parse").unwrap();
        for &n in order {
            assert_eq!(all.merge_from(&stores[n]).unwrap().left_out, []);
        }
        assert_eq!(stores.each_ref().map(|store| tree(store.dir())), before, "what is merged from stays as it is");
        assert_eq!(all.damaged(), []);
        results.push(tree(all.dir()));

        assert_eq!(all.ids().unwrap().len(), 2);
        let bug = all.bug(id());
        assert_eq!(bug.originals().unwrap().len(), 3);
        assert_eq!(fs::read(bug.input()).unwrap(), b"aa");
        assert_eq!(fs::read(bug.repro()).unwrap(), b"repro of b");
        assert_eq!(all.sightings(id()).unwrap(), 7 + 1 + 2 + 50);
        assert_eq!(all.contents(id()).unwrap(), contents(0..50));
        assert_eq!(fs::read(all.variant(id(), "k").input()).unwrap(), b"v");
        assert_eq!(all.variant(id(), "k").originals().unwrap().len(), 2);
    }
    for result in &results {
        assert_eq!(result, &results[0]);
    }
}

#[test]
fn merging_says_what_was_new_and_what_was_left_out() {
    let root = quick_folder();
    let [a, b, _] = three_stores(root.path());
    fs::write(b.bug(BugId::of("only b")).report(), "{").unwrap();
    b.claim(BugId::of("new"), ORIGINAL, &pending()).unwrap();
    let merged = a.merge_from(&b).unwrap();
    assert_eq!((merged.bugs_new, merged.bugs_known, merged.left_out.len()), (1, 1, 1));
    assert_eq!(a.damaged(), []);
}

#[test]
fn a_damaged_original_is_restored_from_another_store() {
    let root = quick_folder();
    let [a, b, _] = three_stores(root.path());
    b.merge_from(&a).unwrap();
    fs::write(a.bug(id()).original().unwrap(), "bit rot").unwrap();
    a.merge_from(&b).unwrap();
    assert_eq!(a.damaged(), []);
}

#[test]
fn a_merge_that_fails_at_any_step_can_be_done_again() {
    let steps = {
        let root = quick_folder();
        let stores = three_stores(root.path());
        let faults = FaultPlan::counting();
        let all = BugStore::open_with_faults(&root.path().join("a"), "parse", faults.clone()).unwrap();
        all.merge_from(&stores[1]).unwrap();
        faults.steps()
    };
    let mut results = Vec::new();
    for n in 4..=steps {
        let root = quick_folder();
        let [a, b, _] = three_stores(root.path());
        let failing = BugStore::open_with_faults(&root.path().join("a"), "parse", FaultPlan::fail_at(n)).unwrap();
        assert!(failing.merge_from(&b).unwrap_err().is_disk_full());
        assert_eq!(temporaries(root.path()), [""; 0]);
        assert_eq!(a.damaged(), []);
        let report = a.bug(id()).read_report().unwrap();
        assert!(report.status == Status::Pending || fs::read(a.bug(id()).input()).unwrap() == b"aa");
        a.merge_from(&b).unwrap();
        results.push(tree(a.dir()));
    }
    assert!(results.len() > 20, "{}", results.len());
    for result in &results {
        assert_eq!(result, &results[0]);
    }
}

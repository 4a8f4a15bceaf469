//! Merging in any order, any number of times, with one result.

use std::fs;
use std::path::Path;

use dwindle_corpus::{BugId, BugStore, FaultPlan, Report, Status, Writer};

use crate::sample::{
    ORIGINAL, SMALL, contents, id, minimized, pending, quick_folder, temporaries, tree,
};

/// The report of a bug that an engine found first at this second.
fn seen(report: Report, first_seen: u64, engine: &str) -> Report {
    Report { first_seen, engine: engine.to_owned(), ..report }
}

/// Three stores that know the same bug in different states, and other bugs besides. `a` saw it
/// first, of its variant `c`; `b` has the smallest input.
fn three_stores(root: &Path) -> [BugStore; 3] {
    let [a, b, c] = ["a", "b", "c"].map(|name| BugStore::open(&root.join(name), "parse").unwrap());
    let writer = |n| Writer::of("somewhere", n, "noon");

    a.claim(id(), ORIGINAL, &seen(pending(), 100, "random")).unwrap();
    a.count(id(), &writer(1), 5).unwrap();
    a.record(id(), &writer(1), &contents(0..20)).unwrap();
    a.claim_variant(id(), "k", b"variant of a", &seen(pending(), 150, "random")).unwrap();

    b.claim(id(), b"found elsewhere", &seen(pending(), 300, "afl")).unwrap();
    b.finish(id(), b"aa", &seen(minimized(b"aa", 2), 300, "afl"), Some("repro of b")).unwrap();
    b.count(id(), &writer(1), 7).unwrap();
    b.count(id(), &writer(2), 1).unwrap();
    // The same writer, who went on after its store was copied, and another one who met some of the
    // same contents.
    b.record(id(), &writer(1), &contents(0..30)).unwrap();
    b.record(id(), &writer(2), &contents(25..40)).unwrap();
    b.claim(BugId::of("only b"), b"only b", &pending()).unwrap();

    c.claim(id(), b"found elsewhere too", &pending()).unwrap();
    c.finish(id(), SMALL, &seen(minimized(SMALL, 3), 200, "libfuzzer"), Some("repro of c"))
        .unwrap();
    c.count(id(), &writer(3), 2).unwrap();
    c.record(id(), &writer(3), &contents(10..50)).unwrap();
    c.claim_variant(id(), "k", b"variant of c", &pending()).unwrap();
    c.finish_variant(id(), "k", b"v", &seen(minimized(b"v", 1), 120, "libfuzzer"), None).unwrap();
    // The same input with another report.
    c.claim(BugId::of("only b"), b"only b", &{
        let mut report = pending();
        report.message = String::from("said otherwise");
        report
    })
    .unwrap();
    [a, b, c]
}

/// When a bug or its variant was first seen and by what, which the report for people has to say
/// too.
#[track_caller]
fn first(store: &BugStore, variant: Option<&str>) -> (u64, String) {
    let bug = variant.map_or_else(|| store.bug(id()), |key| store.variant(id(), key));
    let report = bug.read_report().unwrap();
    assert_eq!(fs::read_to_string(bug.report_text()).unwrap(), report.to_text());
    (report.first_seen, report.engine)
}

#[test]
fn the_order_and_number_of_merges_do_not_matter() {
    let orders: [&[usize]; 8] = [
        &[0, 1, 2],
        &[0, 2, 1],
        &[1, 0, 2],
        &[1, 2, 0],
        &[2, 0, 1],
        &[2, 1, 0],
        &[0, 0, 1, 2, 1, 0],
        &[2, 1, 0, 2],
    ];
    let mut results = Vec::new();
    for order in orders {
        let root = quick_folder();
        let stores = three_stores(root.path());
        let before = stores.each_ref().map(|store| tree(store.dir()));
        let all = BugStore::open(&root.path().join("all"), "parse").unwrap();
        for &n in order {
            assert_eq!(all.merge_from(&stores[n]).unwrap().left_out, []);
        }
        assert_eq!(
            stores.each_ref().map(|store| tree(store.dir())),
            before,
            "what is merged from stays as it is"
        );
        assert_eq!(all.damaged(), []);
        results.push(tree(all.dir()));

        assert_eq!(all.ids().unwrap().len(), 2);
        let bug = all.bug(id());
        assert_eq!(bug.originals().unwrap().len(), 3);
        assert_eq!(fs::read(bug.input()).unwrap(), b"aa");
        assert_eq!(fs::read(bug.repro()).unwrap(), b"repro of b");
        assert_eq!(all.hits(id()).unwrap(), 7 + 1 + 2 + 50);
        assert_eq!(all.contents(id()).unwrap(), contents(0..50));
        assert_eq!(fs::read(all.variant(id(), "k").input()).unwrap(), b"v");
        assert_eq!(all.variant(id(), "k").originals().unwrap().len(), 2);
        assert_eq!(first(&all, None), (100, "random".to_owned()));
        assert_eq!(first(&all, Some("k")), (120, "libfuzzer".to_owned()));
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
        let all =
            BugStore::open_with_faults(&root.path().join("a"), "parse", faults.clone()).unwrap();
        all.merge_from(&stores[1]).unwrap();
        faults.steps()
    };
    let mut results = Vec::new();
    for n in 4..=steps {
        let root = quick_folder();
        let [a, b, _] = three_stores(root.path());
        let failing =
            BugStore::open_with_faults(&root.path().join("a"), "parse", FaultPlan::fail_at(n))
                .unwrap();
        assert!(failing.merge_from(&b).unwrap_err().is_disk_full());
        assert_eq!(temporaries(root.path()), [""; 0]);
        assert_eq!(a.damaged(), []);
        let report = a.bug(id()).read_report().unwrap();
        assert!(
            report.status == Status::Pending || fs::read(a.bug(id()).input()).unwrap() == b"aa"
        );
        a.merge_from(&b).unwrap();
        results.push(tree(a.dir()));
    }
    assert!(results.len() > 20, "{}", results.len());
    for result in &results {
        assert_eq!(result, &results[0]);
    }
}

#[test]
fn the_earliest_hit_is_kept_in_every_order_of_merges_and_finishes() {
    // The simplest input is that of the last hit. One store has the same input by another engine in
    // the same second, one a clock that was never set.
    let hits = [
        (300, "libfuzzer", &b"a"[..], 1),
        (100, "random", b"bbb", 3),
        (100, "afl", b"bbb", 3),
        (0, "afl", b"cc", 2),
        (200, "", b"a", 1),
    ];
    let orders = [
        [0, 1, 2, 3, 4],
        [4, 3, 2, 1, 0],
        [2, 0, 4, 1, 3],
        [1, 3, 0, 4, 2],
        [3, 4, 1, 2, 0],
        [0, 2, 3, 1, 4],
    ];
    let mut results = Vec::new();
    for order in orders {
        let root = quick_folder();
        let merged = BugStore::open(&root.path().join("merged"), "parse").unwrap();
        let finished = BugStore::open(&root.path().join("finished"), "parse").unwrap();
        for (count, n) in order.into_iter().chain(order).enumerate() {
            let (first_seen, engine, input, choices) = hits[n];
            let report = seen(minimized(input, choices), first_seen, engine);
            let one = BugStore::open(&root.path().join(count.to_string()), "parse").unwrap();
            for store in [&one, &finished] {
                store.claim(id(), input, &report).unwrap();
                store.finish(id(), input, &report, None).unwrap();
            }
            merged.merge_from(&one).unwrap();
        }
        assert_eq!(
            (first(&merged, None), first(&finished, None)),
            ((100, "afl".to_owned()), (100, "afl".to_owned())),
            "{order:?}"
        );
        assert_eq!(fs::read(merged.bug(id()).input()).unwrap(), b"a");
        results.push(tree(merged.dir()));
    }
    for result in &results {
        assert_eq!(result, &results[0]);
    }
}

#[test]
fn a_damaged_bug_keeps_its_first_hit_and_a_damaged_one_elsewhere_has_none() {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for order in orders {
        let root = quick_folder();
        let stores = three_stores(root.path());
        // Here the report can be read and the input is gone; elsewhere it is left out altogether.
        let here = BugStore::open(&root.path().join("here"), "parse").unwrap();
        here.claim(id(), b"of here", &seen(pending(), 110, "here")).unwrap();
        fs::remove_file(here.bug(id()).input()).unwrap();
        fs::remove_file(stores[0].bug(id()).input()).unwrap();
        for n in order {
            here.merge_from(&stores[n]).unwrap();
        }
        assert_eq!(first(&here, None), (110, "here".to_owned()), "{order:?}");
        assert_eq!(fs::read(here.bug(id()).input()).unwrap(), b"aa");
        assert_eq!(here.damaged(), []);
    }
}

#[test]
fn equal_results_with_and_without_a_test_merge_to_the_one_with_it() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
        let root = quick_folder();
        let all = BugStore::open(&root.path().join("all"), "parse").unwrap();
        for n in order {
            let one = BugStore::open(&root.path().join(n.to_string()), "parse").unwrap();
            one.claim(id(), SMALL, &pending()).unwrap();
            one.finish(id(), SMALL, &minimized(SMALL, 3), [None, Some("b"), Some("a")][n]).unwrap();
            all.merge_from(&one).unwrap();
        }
        assert_eq!(fs::read(all.bug(id()).repro()).unwrap(), b"a", "{order:?}");
    }
}

#[test]
fn of_inputs_that_are_taken_as_they_stand_the_last_byte_counts_most() {
    for order in [[b"\x00\x01", b"\x01\x00"], [b"\x01\x00", b"\x00\x01"]] {
        let root = quick_folder();
        let store = BugStore::open(root.path(), "parse").unwrap();
        for input in order {
            store.claim(id(), input, &pending()).unwrap();
            store
                .finish(
                    id(),
                    input,
                    &Report { minimized_choices: None, ..minimized(input, 0) },
                    None,
                )
                .unwrap();
        }
        assert_eq!(fs::read(store.bug(id()).input()).unwrap(), b"\x01\x00");
    }
}

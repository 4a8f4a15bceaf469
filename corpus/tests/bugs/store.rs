//! What one writer puts in and gets out.

use std::fs;
use std::path::Path;

use crate::sample::{self, ORIGINAL, SMALL, id, minimized, pending};
use dwindle_corpus::{BugId, BugStore, Claim, Status, VARIANTS_MAX, Writer, content_hash};

#[test]
fn a_new_bug_is_pending_whole_and_replayable() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    // The status is the store's to say.
    assert_eq!(store.claim(id(), ORIGINAL, &minimized(SMALL, 1)).unwrap(), Claim::New);

    assert_eq!(store.ids().unwrap(), [id()]);
    assert_eq!(store.pending().unwrap(), [id()]);
    let bug = store.bug(id());
    assert_eq!(bug.dir(), root.path().join("parse").join(id().to_string()));
    assert_eq!(fs::read(bug.input()).unwrap(), ORIGINAL);
    let original = bug.original().unwrap();
    assert_eq!(
        original.file_name().unwrap().to_str().unwrap(),
        format!("original-{}", content_hash(ORIGINAL))
    );
    assert_eq!(fs::read(original).unwrap(), ORIGINAL);
    assert_eq!(bug.read_report().unwrap().status, Status::Pending);
    assert!(fs::read_to_string(bug.report_text()).unwrap().contains("index out of bounds"));
    assert!(store.damaged().is_empty());
}

#[test]
fn a_known_bug_is_left_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    let before = sample::tree(root.path());
    assert_eq!(store.claim(id(), b"another hit", &pending()).unwrap(), Claim::Known);
    assert_eq!(sample::tree(root.path()), before);
}

#[test]
fn finishing_replaces_the_input_and_never_the_original() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    store.finish(id(), SMALL, &minimized(SMALL, 3), Some("#[test] fn repro() {}")).unwrap();

    let bug = store.bug(id());
    assert_eq!(store.pending().unwrap(), []);
    assert_eq!(fs::read(bug.input()).unwrap(), SMALL);
    assert_eq!(fs::read(bug.original().unwrap()).unwrap(), ORIGINAL);
    assert_eq!(fs::read_to_string(bug.repro()).unwrap(), "#[test] fn repro() {}");
    assert_eq!(bug.read_report().unwrap().minimized_choices, Some(3));
    assert!(fs::read_to_string(bug.report_text()).unwrap().contains("status: minimized"));
    assert_eq!(sample::temporaries(root.path()), [""; 0]);
}

#[test]
fn of_two_results_the_smaller_stays_whichever_comes_first() {
    let results: [(&[u8], u64); 5] = [(b"zzzz", 1), (b"a", 2), (b"aa", 2), (b"ab", 2), (b"", 3)];
    for (i, &(small, small_choices)) in results.iter().enumerate() {
        for &(large, large_choices) in &results[i + 1..] {
            for order in [
                [(small, small_choices), (large, large_choices)],
                [(large, large_choices), (small, small_choices)],
            ] {
                let root = tempfile::tempdir().unwrap();
                let store = BugStore::open(root.path(), "parse").unwrap();
                store.claim(id(), ORIGINAL, &pending()).unwrap();
                for (input, choices) in order {
                    store.finish(id(), input, &minimized(input, choices), None).unwrap();
                }
                let bug = store.bug(id());
                assert_eq!(fs::read(bug.input()).unwrap(), small, "{order:?}");
                assert_eq!(
                    bug.read_report().unwrap().minimized_choices,
                    Some(small_choices),
                    "{order:?}"
                );
            }
        }
    }
}

#[test]
fn a_flaky_result_gives_way_to_a_reliable_one_of_any_size() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    let mut flaky = minimized(b"f", 1);
    flaky.status = Status::Flaky;
    store.finish(id(), b"f", &flaky, None).unwrap();
    store.finish(id(), SMALL, &minimized(SMALL, 9), None).unwrap();
    store.finish(id(), b"f", &flaky, None).unwrap();
    assert_eq!(fs::read(store.bug(id()).input()).unwrap(), SMALL);
}

#[test]
fn a_regression_test_of_an_earlier_input_does_not_stay_behind() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    store.finish(id(), b"larger", &minimized(b"larger", 9), Some("old")).unwrap();
    store.finish(id(), SMALL, &minimized(SMALL, 3), None).unwrap();
    assert!(!store.bug(id()).repro().exists());
}

#[test]
fn a_bug_that_was_never_claimed_cannot_be_finished_or_counted() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    for error in [
        store.finish(id(), SMALL, &minimized(SMALL, 1), None).unwrap_err(),
        store.count(id(), &Writer::this_process(), 1).unwrap_err(),
        store.hits(id()).unwrap_err(),
        store.claim_variant(id(), "k", ORIGINAL, &pending()).unwrap_err(),
    ] {
        assert!(
            error.is_missing() && error.to_string().ends_with("is not there; claim the bug first"),
            "{error}"
        );
        assert_eq!(error.path(), store.bug(id()).dir());
    }
}

#[test]
fn variants_are_kept_up_to_a_limit_and_finished_alone() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    let claim = |key: &str| store.claim_variant(id(), key, b"another way", &pending()).unwrap();
    for n in 0..VARIANTS_MAX {
        assert_eq!(claim(&format!("k{n}")), Claim::New);
    }
    assert_eq!(claim("one-more"), Claim::Full);
    assert_eq!(claim("k3"), Claim::Known);
    store.finish_variant(id(), "k3", SMALL, &minimized(SMALL, 2), None).unwrap();

    assert_eq!(store.variants(id()).unwrap().len(), VARIANTS_MAX);
    assert_eq!(store.pending_variants().unwrap().len(), VARIANTS_MAX - 1);
    assert_eq!(fs::read(store.variant(id(), "k3").input()).unwrap(), SMALL);
    assert_eq!(fs::read(store.bug(id()).input()).unwrap(), ORIGINAL);
    assert_eq!(store.ids().unwrap(), [id()]);
    assert!(store.damaged().is_empty(), "{:?}", store.damaged());
}

#[test]
fn names_that_would_leave_the_store_are_refused() {
    let root = tempfile::tempdir().unwrap();
    for target in ["", ".", "..", ".hidden", "a/b", "../a", "/etc", "a/"] {
        assert!(BugStore::open(root.path(), target).is_err(), "{target:?}");
    }
    let store = BugStore::open(root.path(), "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    for key in ["", "..", "a/b", "a.b", &"k".repeat(65)] {
        assert!(store.claim_variant(id(), key, ORIGINAL, &pending()).is_err(), "{key:?}");
    }
}

#[test]
fn counts_add_up_over_writers_and_never_go_down() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    assert_eq!(store.hits(id()).unwrap(), 0);
    let (a, b) = (Writer::this_process(), Writer::of("elsewhere", 7, "noon"));
    store.count(id(), &a, 5).unwrap();
    store.count(id(), &b, 2).unwrap();
    store.count(id(), &a, 3).unwrap();
    assert_eq!(store.hits(id()).unwrap(), 7);
    store.count(id(), &a, 6).unwrap();
    assert_eq!(store.hits(id()).unwrap(), 8);
    store.count(id(), &b, u64::MAX).unwrap();
    assert_eq!(store.hits(id()).unwrap(), u64::MAX);
    // What is written down later knows of them.
    store.finish(id(), SMALL, &minimized(SMALL, 1), None).unwrap();
    assert_eq!(store.bug(id()).read_report().unwrap().hits, u64::MAX);
}

#[test]
fn a_store_that_cannot_be_written_says_so_when_it_is_opened() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    // Permissions do not bind root, who runs tests in many places; these bind everyone.
    for place in [file.as_path(), Path::new("/proc/self/fuzz")] {
        let error = BugStore::open(place, "parse").unwrap_err();
        assert!(error.is_not_writable(), "{error}");
        let text = error.to_string();
        assert!(
            text.contains(&place.join("parse").display().to_string())
                && text.contains("DWINDLE_STORE"),
            "{text}"
        );
    }
}

#[test]
fn reading_a_store_changes_nothing_and_needs_one() {
    let root = tempfile::tempdir().unwrap();
    assert!(BugStore::open_existing(root.path(), "parse").unwrap_err().is_missing());
    assert!(!root.path().join("parse").exists());
    assert_eq!(BugStore::targets(&root.path().join("nowhere")).unwrap(), [""; 0]);
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let error = BugStore::open_existing(&file, "parse").unwrap_err();
    assert!(!error.is_missing() && error.to_string().contains("a store is a folder"), "{error}");

    for target in ["parse", "encode"] {
        BugStore::open(root.path(), target).unwrap().claim(id(), ORIGINAL, &pending()).unwrap();
    }
    fs::write(root.path().join("notes.txt"), "").unwrap();
    assert_eq!(BugStore::targets(root.path()).unwrap(), ["encode", "parse"]);
    assert_eq!(BugStore::open_existing(root.path(), "parse").unwrap().ids().unwrap(), [id()]);
}

#[test]
fn bugs_are_listed_in_order() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    let mut ids: Vec<BugId> = (0..20).map(|n| BugId::of(&format!("{n}"))).collect();
    for &id in &ids {
        store.claim(id, ORIGINAL, &pending()).unwrap();
    }
    ids.sort();
    assert_eq!(store.ids().unwrap(), ids);
}

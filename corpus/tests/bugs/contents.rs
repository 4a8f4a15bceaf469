//! Recorded contents. The store counts each content once, no matter which writer recorded it, and
//! in which order stores were merged.

use std::fs;
use std::path::Path;

use dwindle_corpus::{BugStore, Content, ContentId, Writer};

use crate::sample::{ORIGINAL, SMALL, contents, id, minimized, pending, tree};

fn store_with_a_bug(root: &Path) -> BugStore {
    let store = BugStore::open(root, "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    store
}

fn writer(n: u32) -> Writer {
    Writer::of("somewhere", n, "noon")
}

#[test]
fn a_content_counts_once_however_often_and_by_whomever_it_is_recorded() {
    let root = tempfile::tempdir().unwrap();
    let store = store_with_a_bug(root.path());
    assert_eq!(store.contents(id()).unwrap(), []);
    for (n, numbers, hits) in
        [(1, 0..10, 10), (1, 5..10, 10), (2, 0..10, 10), (2, 8..13, 13), (1, 12..20, 20)]
    {
        store.record(id(), &writer(n), &contents(numbers)).unwrap();
        assert_eq!(store.hits(id()).unwrap(), hits);
    }
    assert_eq!(store.contents(id()).unwrap(), contents(0..20));
    store.count(id(), &writer(1), 3).unwrap();
    assert_eq!(store.hits(id()).unwrap(), 23);
}

#[test]
fn recording_what_is_recorded_changes_no_file() {
    let root = tempfile::tempdir().unwrap();
    let store = store_with_a_bug(root.path());
    store.record(id(), &writer(1), &contents(0..10)).unwrap();
    let before = tree(root.path());
    store.record(id(), &writer(1), &contents(3..7)).unwrap();
    // Another writer also changes no file.
    store.record(id(), &writer(2), &contents(0..10)).unwrap();
    store.record(id(), &writer(3), &[]).unwrap();
    assert_eq!(tree(root.path()), before);
}

#[test]
fn what_is_known_of_a_content_comes_back_as_it_was_recorded() {
    let root = tempfile::tempdir().unwrap();
    let store = store_with_a_bug(root.path());
    let content = |bytes: &[u8], choices, variant: Option<&str>| Content {
        id: ContentId::of(bytes),
        choices,
        variant: variant.map(str::to_owned),
    };
    let mut recorded = vec![
        content(b"", Some(0), None),
        content(b"a", None, Some("way-1")),
        content(b"b", Some(u64::MAX), Some("k")),
        content(b"c", None, None),
    ];
    store.record(id(), &writer(1), &recorded).unwrap();
    recorded.sort();
    assert_eq!(BugStore::open(root.path(), "parse").unwrap().contents(id()).unwrap(), recorded);
    for wrong in ["", "two words", "two\nlines", ".."] {
        assert!(
            store.record(id(), &writer(1), &[content(b"d", None, Some(wrong))]).is_err(),
            "{wrong:?}"
        );
    }
    assert_eq!(store.contents(id()).unwrap(), recorded);
}

#[test]
fn of_two_who_say_different_things_the_same_one_is_believed_in_any_order() {
    let one = Content { id: ContentId::of(b"a"), choices: Some(7), variant: None };
    let other = Content { choices: Some(9), variant: Some("k".to_owned()), ..one.clone() };
    for order in [[&one, &other], [&other, &one]] {
        let root = tempfile::tempdir().unwrap();
        let store = store_with_a_bug(root.path());
        for (n, content) in order.into_iter().enumerate() {
            store.record(id(), &writer(n as u32), std::slice::from_ref(content)).unwrap();
        }
        assert_eq!(store.contents(id()).unwrap(), std::slice::from_ref(&one));
        assert_eq!(store.hits(id()).unwrap(), 1);
    }
}

#[test]
fn a_damaged_record_costs_its_own_contents_and_is_made_good_by_recording_them_again() {
    let root = tempfile::tempdir().unwrap();
    let store = store_with_a_bug(root.path());
    store.record(id(), &writer(1), &contents(0..10)).unwrap();
    store.record(id(), &writer(2), &contents(10..17)).unwrap();
    let path = store.bug(id()).dir().join("contents").join(writer(1).to_string());
    let whole = fs::read_to_string(&path).unwrap();
    let line = whole.lines().nth(3).unwrap();
    let garbage = [
        "contents 2 x\n".to_owned(),
        whole.replacen(line, "", 1),
        whole[..whole.len() / 2].to_owned(),
        whole.replacen('1', "2", 2),
    ];
    for garbage in garbage {
        fs::write(&path, &garbage).unwrap();
        assert_eq!(store.hits(id()).unwrap(), 7, "{garbage}");
        let damaged = store.damaged();
        assert_eq!(damaged.len(), 1, "{garbage}");
        assert!(
            damaged[0].path() == path
                && damaged[0].reason().contains("is no record of contents; remove it"),
            "{}",
            damaged[0]
        );
        store.record(id(), &writer(3), &contents(0..10)).unwrap();
        assert_eq!(store.contents(id()).unwrap(), contents(0..17));
        fs::remove_file(store.bug(id()).dir().join("contents").join(writer(3).to_string()))
            .unwrap();
    }
    store.record(id(), &writer(1), &contents(0..10)).unwrap();
    assert_eq!((store.damaged(), store.hits(id()).unwrap()), (Vec::new(), 17));
}

#[test]
fn folders_that_are_copied_over_each_other_add_up_too() {
    let root = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| store_with_a_bug(&root.path().join(name)));
    one.record(id(), &writer(1), &contents(0..10)).unwrap();
    other.record(id(), &writer(2), &contents(5..20)).unwrap();
    let into = one.bug(id()).dir().join("contents");
    for entry in fs::read_dir(other.bug(id()).dir().join("contents")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, into.join(path.file_name().unwrap())).unwrap();
    }
    assert_eq!(one.contents(id()).unwrap(), contents(0..20));
    assert_eq!(one.damaged(), []);
}

#[test]
fn a_store_without_records_and_with_them_is_finished_and_counted_alike() {
    let root = tempfile::tempdir().unwrap();
    let store = store_with_a_bug(root.path());
    store.count(id(), &writer(1), 4).unwrap();
    assert_eq!((store.hits(id()).unwrap(), store.damaged()), (4, Vec::new()));
    store.record(id(), &writer(1), &contents(0..6)).unwrap();
    store.finish(id(), SMALL, &minimized(SMALL, 1), None).unwrap();
    assert_eq!(store.bug(id()).read_report().unwrap().hits, 10);
}

#[test]
fn a_report_is_brought_up_to_what_is_counted_and_else_left_alone() {
    let root = tempfile::tempdir().unwrap();
    let store = store_with_a_bug(root.path());
    store.finish(id(), SMALL, &minimized(SMALL, 1), Some("repro")).unwrap();
    store.record(id(), &writer(1), &contents(0..6)).unwrap();
    let before = store.bug(id()).read_report().unwrap();
    store.restate(id()).unwrap();
    let after = store.bug(id()).read_report().unwrap();
    assert_eq!(after.hits, 6);
    assert_eq!(dwindle_corpus::Report { hits: before.hits, ..after }, before);
    assert!(fs::read_to_string(store.bug(id()).report_text()).unwrap().contains("hits: 6\n"));
    let once = tree(root.path());
    store.restate(id()).unwrap();
    assert_eq!(tree(root.path()), once);
}

#[test]
fn another_hit_is_kept_byte_for_byte_and_once() {
    let root = tempfile::tempdir().unwrap();
    let store = store_with_a_bug(root.path());
    store.claim_variant(id(), "k", ORIGINAL, &pending()).unwrap();
    for _ in 0..2 {
        store.keep_original(id(), None, b"another").unwrap();
        store.keep_original(id(), Some("k"), b"one more").unwrap();
    }
    let (bug, variant) = (store.bug(id()), store.variant(id(), "k"));
    assert_eq!((bug.originals().unwrap().len(), variant.originals().unwrap().len()), (2, 2));
    assert!(
        bug.has_original(ORIGINAL)
            && bug.has_original(b"another")
            && !bug.has_original(b"one more")
            && variant.has_original(b"one more")
    );
    assert_eq!(store.damaged(), []);
    assert!(store.keep_original(id(), Some("gone"), b"x").unwrap_err().is_missing());
}

#[test]
fn ten_thousand_contents_are_recorded_and_counted_in_no_time() {
    let root = tempfile::tempdir().unwrap();
    let store = store_with_a_bug(root.path());
    let began = std::time::Instant::now();
    // As a triage does it: again and again, with a few more each time.
    for batch in 0..20 {
        store.record(id(), &writer(1), &contents(batch * 500..(batch + 1) * 500)).unwrap();
    }
    assert_eq!(store.hits(id()).unwrap(), 10_000);
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

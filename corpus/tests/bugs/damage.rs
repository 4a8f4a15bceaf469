//! Every kind of damage in every place: listed, survived, left alone.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use dwindle_corpus::{BugId, BugStore, Claim, Writer};

use crate::sample::{ORIGINAL, SMALL, contents, id, minimized, pending, tree};

/// Something that went wrong on a disk, done to one file.
type Harm = fn(&Path);

const HARMS: [(&str, Harm); 6] = [
    ("missing", |path| fs::remove_file(path).unwrap()),
    ("truncated", |path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }),
    ("empty", |path| fs::write(path, "").unwrap()),
    ("garbage", |path| fs::write(path, b"\xff\x00garbage").unwrap()),
    ("folder", |path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }),
    ("dangling", |path| {
        fs::remove_file(path).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", path).unwrap();
    }),
];

/// The bug that is harmed, a healthy one, and the store they are in.
fn two_bugs(root: &Path) -> (BugStore, BugId) {
    let healthy = BugId::of("healthy");
    let store = BugStore::open(root, "parse").unwrap();
    for id in [id(), healthy] {
        store.claim(id, ORIGINAL, &pending()).unwrap();
        store.claim_variant(id, "k", ORIGINAL, &pending()).unwrap();
        store.count(id, &writer(), 5).unwrap();
        store.record(id, &writer(), &contents(0..7)).unwrap();
    }
    (store, healthy)
}

fn writer() -> Writer {
    Writer::of("somewhere", 1, "noon")
}

fn check_the_healthy_one(store: &BugStore, healthy: BugId) {
    assert!(store.ids().unwrap().contains(&healthy));
    assert!(store.pending().unwrap().contains(&healthy));
    assert_eq!(store.hits(healthy).unwrap(), 12);
    store.finish(healthy, SMALL, &minimized(SMALL, 1), None).unwrap();
    assert_eq!(store.claim(BugId::of("another"), ORIGINAL, &pending()).unwrap(), Claim::New);
}

#[test]
fn a_bug_without_a_readable_report_or_input_is_damage_and_breaks_no_other() {
    for (name, harm) in HARMS {
        for file in ["report.json", "input"] {
            if file == "input" && matches!(name, "truncated" | "empty" | "garbage") {
                continue; // Any bytes are an input.
            }
            let root = tempfile::tempdir().unwrap();
            let (store, healthy) = two_bugs(root.path());
            let harmed = store.bug(id()).dir().join(file);
            harm(&harmed);
            let before = tree(store.bug(id()).dir());

            let damaged = store.damaged();
            assert_eq!(
                damaged.iter().map(|d| d.path().to_owned()).collect::<Vec<_>>(),
                [harmed],
                "{name} {file}"
            );
            assert!(
                !damaged[0].reason().is_empty() && !damaged[0].reason().ends_with('.'),
                "{}",
                damaged[0]
            );
            assert_eq!(store.ids().unwrap(), [healthy], "{name} {file}");
            assert_eq!(store.claim(id(), ORIGINAL, &pending()).unwrap(), Claim::Known);
            check_the_healthy_one(&store, healthy);
            BugStore::open(root.path(), "parse").unwrap();
            assert_eq!(tree(store.bug(id()).dir()), before, "damage is never deleted");
        }
    }
}

#[test]
fn a_damaged_report_is_not_written_over() {
    let root = tempfile::tempdir().unwrap();
    let (store, _) = two_bugs(root.path());
    fs::write(store.bug(id()).report(), "{").unwrap();
    let error = store.finish(id(), SMALL, &minimized(SMALL, 1), None).unwrap_err();
    assert!(error.is_corrupt(), "{error}");
    assert_eq!(error.path(), store.bug(id()).report());
    assert_eq!(fs::read(store.bug(id()).report()).unwrap(), b"{");
}

#[test]
fn a_bug_whose_input_is_lost_is_whole_again_once_it_is_finished() {
    let root = tempfile::tempdir().unwrap();
    let (store, _) = two_bugs(root.path());
    fs::remove_file(store.bug(id()).input()).unwrap();
    store.finish(id(), SMALL, &minimized(SMALL, 1), None).unwrap();
    assert_eq!(store.damaged(), []);
}

#[test]
fn a_report_of_another_bug_is_damage() {
    let root = tempfile::tempdir().unwrap();
    let (store, healthy) = two_bugs(root.path());
    fs::copy(store.bug(healthy).report(), store.bug(id()).report()).unwrap();
    let damaged = store.damaged();
    assert_eq!(damaged.len(), 1);
    assert!(damaged[0].reason().contains(&healthy.to_string()), "{}", damaged[0]);
}

#[test]
fn a_report_of_a_newer_dwindle_says_so_and_stays() {
    let root = tempfile::tempdir().unwrap();
    let (store, healthy) = two_bugs(root.path());
    let path = store.bug(id()).report();
    fs::write(&path, r#"{"format": 99, "everything": "else changed"}"#).unwrap();
    let error = store.bug(id()).read_report().unwrap_err();
    assert!(error.is_newer() && !error.is_corrupt(), "{error}");
    assert!(store.damaged()[0].reason().contains("newer"), "{:?}", store.damaged());
    assert!(store.finish(id(), SMALL, &minimized(SMALL, 1), None).is_err());
    assert!(fs::read_to_string(path).unwrap().contains("99"));
    check_the_healthy_one(&store, healthy);
}

#[test]
fn damage_beside_report_and_input_is_listed_and_the_bug_is_still_there() {
    for (name, harm) in HARMS {
        let harmed: [fn(&BugStore) -> PathBuf; 4] = [
            |store| store.bug(id()).original().unwrap(),
            |store| store.variant(id(), "k").report(),
            |store| store.bug(id()).dir().join("sightings").join(writer().to_string()),
            |store| store.bug(id()).dir().join("contents").join(writer().to_string()),
        ];
        for (place, path) in harmed.iter().enumerate() {
            let root = tempfile::tempdir().unwrap();
            let (store, healthy) = two_bugs(root.path());
            let path = path(&store);
            harm(&path);
            let damaged: Vec<PathBuf> =
                store.damaged().iter().map(|d| d.path().to_owned()).collect();
            match (place, name) {
                // Nothing says that there ever was one.
                (2 | 3, "missing") => assert_eq!(damaged, [""; 0].map(PathBuf::from)),
                (0, "missing") => assert_eq!(damaged, [store.bug(id()).dir()]),
                _ => assert_eq!(damaged, [path], "{name}"),
            }
            assert!(store.ids().unwrap().contains(&id()), "{name} {place}");
            assert_eq!(store.hits(id()).unwrap(), [12, 12, 7, 5][place], "{name} {place}");
            check_the_healthy_one(&store, healthy);
        }
    }
}

#[test]
fn a_garbage_counter_costs_only_its_own_count() {
    let root = tempfile::tempdir().unwrap();
    let (store, _) = two_bugs(root.path());
    let other = Writer::of("elsewhere", 2, "noon");
    store.count(id(), &other, 30).unwrap();
    let counter = store.bug(id()).dir().join("sightings").join(writer().to_string());
    for garbage in
        ["-4\n", "+4\n", "4", "\n", "4 4\n", "4\n4", "", "99999999999999999999999\n", "0x10\n"]
    {
        fs::write(&counter, garbage).unwrap();
        assert_eq!(store.hits(id()).unwrap(), 37, "{garbage:?}");
        assert_eq!(store.damaged().len(), 1, "{garbage:?}");
    }
    store.count(id(), &writer(), 13).unwrap();
    assert_eq!(store.hits(id()).unwrap(), 50);
    assert_eq!(store.damaged(), []);
}

#[test]
fn what_is_no_bug_is_listed_and_left_alone() {
    let root = tempfile::tempdir().unwrap();
    let (store, healthy) = two_bugs(root.path());
    let dir = store.dir();
    fs::create_dir(dir.join("garbage")).unwrap();
    fs::create_dir(dir.join(id().to_string().to_uppercase())).unwrap();
    fs::create_dir(dir.join(OsStr::from_bytes(b"\xff\xfe"))).unwrap();
    let taken = BugId::of("taken by a file");
    fs::write(dir.join(taken.to_string()), "x").unwrap();
    let empty = BugId::of("an empty folder");
    fs::create_dir(dir.join(empty.to_string())).unwrap();
    fs::write(dir.join(".gitignore"), "*").unwrap();
    fs::create_dir(store.bug(healthy).dir().join("variant-a b")).unwrap();

    let mut places: Vec<PathBuf> = store.damaged().iter().map(|d| d.path().to_owned()).collect();
    places.dedup();
    let mut expected = vec![
        dir.join("garbage"),
        dir.join(id().to_string().to_uppercase()),
        dir.join(OsStr::from_bytes(b"\xff\xfe")),
        dir.join(taken.to_string()),
        dir.join(empty.to_string()),
        store.bug(empty).report(),
        store.bug(healthy).dir().join("variant-a b"),
    ];
    expected.sort();
    assert_eq!(places, expected);

    let error = store.claim(taken, ORIGINAL, &pending()).unwrap_err();
    assert!(error.is_corrupt() && error.path() == dir.join(taken.to_string()), "{error}");
    assert_eq!(store.claim(empty, ORIGINAL, &pending()).unwrap(), Claim::Known);
    assert_eq!(fs::read_dir(dir.join(empty.to_string())).unwrap().count(), 0);
    check_the_healthy_one(&store, healthy);
}

#[test]
fn a_store_that_went_away_is_an_error_not_an_empty_one() {
    let root = tempfile::tempdir().unwrap();
    let (store, _) = two_bugs(root.path());
    fs::rename(store.dir(), root.path().join("away")).unwrap();
    fs::write(store.dir(), "").unwrap();
    assert!(store.ids().is_err());
    assert_eq!(store.damaged().len(), 1);
    assert!(store.claim(id(), ORIGINAL, &pending()).is_err());
}

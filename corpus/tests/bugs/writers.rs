//! Several writers at once, as threads and as processes.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::thread;

use dwindle_corpus::{BugId, BugStore, Claim, VARIANTS_MAX, Writer};

use crate::sample::{ORIGINAL, id, minimized, pending, temporaries};

const ROUNDS: u64 = 20;

fn bug_of_round(round: u64) -> BugId {
    BugId::of(&format!("round {round}"))
}

#[test]
fn of_threads_that_claim_one_bug_at_once_exactly_one_has_it() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    let start = Barrier::new(4);
    for round in 0..ROUNDS {
        let claim = |n: u8| {
            start.wait();
            store.claim(bug_of_round(round), &[n; 9], &pending()).unwrap()
        };
        let claims: Vec<Claim> = thread::scope(|scope| {
            let claim = &claim;
            let threads: Vec<_> = (0..4).map(|n| scope.spawn(move || claim(n))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(claims.iter().filter(|&&claim| claim == Claim::New).count(), 1, "{claims:?}");
        // The winner's folder is of one piece.
        let bug = store.bug(bug_of_round(round));
        assert_eq!(bug.originals().unwrap().len(), 1);
        assert_eq!(fs::read(bug.input()).unwrap(), fs::read(bug.original().unwrap()).unwrap());
    }
    assert_eq!(store.ids().unwrap().len() as u64, ROUNDS);
    assert_eq!(temporaries(root.path()), [""; 0]);
}

#[test]
fn of_processes_that_claim_the_same_bugs_each_bug_has_one_owner() {
    let root = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut child = Command::new(env::current_exe().unwrap());
            child.args(["--exact", "writers::child_that_claims_all", "--ignored", "--nocapture"]);
            child.env("WRITERS_ROOT", root.path()).stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut owned = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        owned += String::from_utf8(output.stdout).unwrap().matches("owned ").count() as u64;
    }
    assert_eq!(owned, ROUNDS);
    let store = BugStore::open_existing(root.path(), "parse").unwrap();
    assert_eq!(store.ids().unwrap().len() as u64, ROUNDS);
    for id in store.ids().unwrap() {
        assert_eq!(store.hits(id).unwrap(), 3);
    }
    assert_eq!(store.damaged(), []);
    assert_eq!(temporaries(root.path()), [""; 0]);
}

#[test]
#[ignore = "started by the test above"]
fn child_that_claims_all() {
    let Some(root) = env::var_os("WRITERS_ROOT") else { return };
    // Each opens the store while the others write: opening must not sweep what they are at work on.
    for round in 0..ROUNDS {
        let store = BugStore::open(Path::new(&root), "parse").unwrap();
        if store.claim(bug_of_round(round), ORIGINAL, &pending()).unwrap() == Claim::New {
            println!("owned {round}");
        }
        store.count(bug_of_round(round), &Writer::this_process(), 1).unwrap();
    }
}

#[test]
fn of_variants_claimed_at_once_only_one_takes_the_last_place() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    let start = Barrier::new(4);
    for round in 0..4 {
        let id = bug_of_round(round);
        store.claim(id, ORIGINAL, &pending()).unwrap();
        for n in 1..VARIANTS_MAX {
            fs::create_dir(store.variant(id, &format!("early-{n}")).dir()).unwrap();
        }
        let claim = |n: usize| {
            start.wait();
            store.claim_variant(id, &format!("late-{n}"), ORIGINAL, &pending()).unwrap()
        };
        let claims: Vec<Claim> = thread::scope(|scope| {
            let claim = &claim;
            let threads: Vec<_> = (0..4).map(|n| scope.spawn(move || claim(n))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(claims.iter().filter(|&&claim| claim == Claim::New).count(), 1, "{claims:?}");
        assert_eq!(claims.iter().filter(|&&claim| claim == Claim::Full).count(), 3, "{claims:?}");
    }
}

#[test]
fn of_results_stored_at_once_the_smallest_stays() {
    for _ in 0..5 {
        let root = tempfile::tempdir().unwrap();
        let store = BugStore::open(root.path(), "parse").unwrap();
        store.claim(id(), ORIGINAL, &pending()).unwrap();
        let start = Barrier::new(6);
        thread::scope(|scope| {
            for n in 1..=6_u8 {
                let (store, start) = (&store, &start);
                scope.spawn(move || {
                    start.wait();
                    let input = vec![n; usize::from(n)];
                    store.finish(id(), &input, &minimized(&input, n.into()), None).unwrap();
                });
            }
        });
        assert_eq!(fs::read(store.bug(id()).input()).unwrap(), [1]);
        assert_eq!(store.bug(id()).read_report().unwrap().minimized_choices, Some(1));
    }
}

#[test]
fn a_bug_is_minimized_by_one_at_a_time() {
    let root = tempfile::tempdir().unwrap();
    let store = BugStore::open(root.path(), "parse").unwrap();
    store.claim(id(), ORIGINAL, &pending()).unwrap();
    let bug = store.bug(id());
    let reserved = bug.reserve().unwrap();
    assert!(reserved.is_some());
    assert!(bug.reserve().unwrap().is_none());
    // The reservation does not stop other writers.
    store.finish(id(), b"small", &minimized(b"small", 3), None).unwrap();
    drop(reserved);
    assert!(bug.reserve().unwrap().is_some());
}

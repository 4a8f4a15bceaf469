//! Writers that fail or are killed at every single operation on the disk.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::sample::{
    ORIGINAL, SMALL, contents, id, minimized, pending, quick_folder, temporaries, tree,
};
use dwindle_corpus::{Bug, BugStore, Claim, FaultPlan, Status, StoreError, Writer};

/// What a writer does to the store, and what has to be there before.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Deed {
    Claim,
    ClaimVariant,
    Finish,
    FinishAgain,
    Count,
    Record,
    KeepOriginal,
}

const DEEDS: [Deed; 7] = [
    Deed::Claim,
    Deed::ClaimVariant,
    Deed::Finish,
    Deed::FinishAgain,
    Deed::Count,
    Deed::Record,
    Deed::KeepOriginal,
];

impl Deed {
    fn prepare(self, root: &Path) {
        let store = BugStore::open(root, "parse").unwrap();
        if self != Deed::Claim {
            store.claim(id(), ORIGINAL, &pending()).unwrap();
        }
        if self == Deed::FinishAgain {
            store.finish(id(), b"larger", &minimized(b"larger", 9), Some("old")).unwrap();
        }
        if self == Deed::Count {
            store.count(id(), &writer(), 3).unwrap();
        }
        if self == Deed::Record {
            store.record(id(), &writer(), &contents(0..3)).unwrap();
        }
    }

    fn run(self, store: &BugStore) -> Result<(), StoreError> {
        match self {
            Deed::Claim => store.claim(id(), ORIGINAL, &pending()).map(drop),
            Deed::ClaimVariant => store.claim_variant(id(), "k", ORIGINAL, &pending()).map(drop),
            Deed::Finish | Deed::FinishAgain => {
                store.finish(id(), SMALL, &minimized(SMALL, 3), Some("new"))
            }
            Deed::Count => store.count(id(), &writer(), 8),
            Deed::Record => store.record(id(), &writer(), &contents(1..8)),
            Deed::KeepOriginal => store.keep_original(id(), None, b"another hit"),
        }
    }

    /// Whether the deed is done; panics if the store is in any state it must not be in.
    fn is_done(self, store: &BugStore) -> bool {
        assert_eq!(store.damaged(), []);
        let bug = store.bug(id());
        match self {
            Deed::Claim => {
                let ids = store.ids().unwrap();
                assert!(ids.is_empty() || (ids == [id()] && is_fresh(&bug)), "{ids:?}");
                !ids.is_empty()
            }
            Deed::ClaimVariant => {
                let variants = store.variants(id()).unwrap();
                assert!(is_fresh(&bug));
                assert!(
                    variants.is_empty()
                        || (variants == ["k"] && is_fresh(&store.variant(id(), "k"))),
                    "{variants:?}"
                );
                !variants.is_empty()
            }
            Deed::Finish | Deed::FinishAgain => {
                assert_eq!(fs::read(bug.original().unwrap()).unwrap(), ORIGINAL);
                let old = if self == Deed::Finish { ORIGINAL } else { b"larger" };
                let input = fs::read(bug.input()).unwrap();
                match bug.read_report().unwrap() {
                    report if report.status == Status::Pending => {
                        assert_eq!(store.pending().unwrap(), [id()]);
                        assert!(input == old || input == SMALL);
                        false
                    }
                    // A report that claims a result stands beside that very result.
                    report if report.minimized_choices == Some(3) => {
                        assert_eq!(input, SMALL);
                        assert_eq!(fs::read(bug.repro()).unwrap(), b"new");
                        true
                    }
                    report => {
                        assert_eq!((self, report.minimized_choices), (Deed::FinishAgain, Some(9)));
                        assert_eq!(input, old);
                        assert_eq!(fs::read(bug.repro()).unwrap(), b"old");
                        false
                    }
                }
            }
            Deed::Count => {
                let hits = store.hits(id()).unwrap();
                assert!([3, 8].contains(&hits), "{hits}");
                hits == 8
            }
            // All of the new contents are there, or none: what was recorded before in either case.
            Deed::Record => {
                let recorded = store.contents(id()).unwrap();
                assert!(recorded == contents(0..3) || recorded == contents(0..8), "{recorded:?}");
                assert_eq!(store.hits(id()).unwrap(), recorded.len() as u64);
                recorded.len() == 8
            }
            Deed::KeepOriginal => {
                assert!(bug.has_original(ORIGINAL));
                bug.has_original(b"another hit")
            }
        }
    }

    /// Operations on the disk from opening the store to the end.
    fn steps(self) -> u64 {
        let root = quick_folder();
        self.prepare(root.path());
        let faults = FaultPlan::counting();
        self.run(&open(root.path(), &faults).unwrap()).unwrap();
        faults.steps()
    }
}

fn writer() -> Writer {
    Writer::of("somewhere", 1, "noon")
}

fn open(root: &Path, faults: &FaultPlan) -> Result<BugStore, StoreError> {
    BugStore::open_with_faults(root, "parse", faults.clone())
}

fn is_fresh(bug: &Bug) -> bool {
    bug.read_report().unwrap().status == Status::Pending
        && fs::read(bug.input()).unwrap() == ORIGINAL
        && fs::read(bug.original().unwrap()).unwrap() == ORIGINAL
}

fn check_and_do_again(deed: Deed, root: &Path) -> bool {
    let store = BugStore::open(root, "parse").unwrap();
    let was_done = deed.is_done(&store);
    deed.run(&store).unwrap();
    assert!(deed.is_done(&store));
    was_done
}

#[test]
fn a_full_disk_at_any_step_is_an_error_that_names_the_file_and_leaves_the_store_readable() {
    for deed in DEEDS {
        let steps = deed.steps();
        let mut done = 0;
        for n in 1..=steps {
            let root = quick_folder();
            deed.prepare(root.path());
            let before = tree(root.path());
            let faults = FaultPlan::fail_at(n);
            // The store ignores the failure of one operation. This operation removes the folder
            // that the probe for writing made.
            let failed = open(root.path(), &faults).and_then(|store| deed.run(&store));
            if let Err(error) = &failed {
                assert!(error.is_disk_full(), "{deed:?} {n}: {error}");
                assert!(error.path().starts_with(root.path()), "{deed:?} {n}: {error}");
                assert!(error.to_string().contains(&error.path().display().to_string()), "{error}");
                assert_eq!(temporaries(root.path()), [""; 0], "{deed:?} {n}");
                if error.to_string().starts_with("cannot write") {
                    assert_eq!(tree(root.path()), before, "{deed:?} {n}");
                }
            } else {
                assert_eq!(n, 3, "{deed:?}: a failure that nobody heard of");
            }
            done += u64::from(check_and_do_again(deed, root.path()));
        }
        // Only the unheard one and the last, after which the name is there, leave the deed done.
        assert_eq!(done, 2, "{deed:?} of {steps} steps");
    }
}

#[test]
fn a_writer_that_stops_at_any_step_leaves_nothing_half_made() {
    for deed in DEEDS {
        for n in 1..=deed.steps() {
            let root = quick_folder();
            deed.prepare(root.path());
            let faults = FaultPlan::stop_at(n);
            let stopped = open(root.path(), &faults).and_then(|store| deed.run(&store));
            assert!(stopped.is_err(), "{deed:?}: step {n} does nothing");
            check_and_do_again(deed, root.path());
        }
    }
}

#[test]
fn a_process_killed_at_any_step_leaves_nothing_half_made_and_the_next_one_sweeps() {
    for deed in DEEDS {
        let steps = deed.steps();
        for n in 1..=steps + 1 {
            let root = quick_folder();
            deed.prepare(root.path());
            let status = run_child(deed, root.path(), n);
            if n <= steps {
                assert_eq!(status.signal(), Some(9), "{deed:?} {n}: {status}");
            } else {
                assert!(status.success(), "{deed:?}: {status}");
            }
            let was_done = check_and_do_again(deed, root.path());
            assert_eq!(temporaries(root.path()), [""; 0], "{deed:?} {n}");
            assert_eq!(was_done, n >= steps, "{deed:?} killed at step {n} of {steps}");
        }
    }
}

#[test]
fn a_killed_process_leaves_its_temporaries_to_be_swept() {
    // So that the test above is known to have had something to sweep.
    let root = quick_folder();
    Deed::Claim.prepare(root.path());
    run_child(Deed::Claim, root.path(), Deed::Claim.steps() - 1);
    assert_eq!(temporaries(root.path()).len(), 1);
    BugStore::open_existing(root.path(), "parse").unwrap();
    assert_eq!(temporaries(root.path()).len(), 1, "a reader changes nothing");
    BugStore::open(root.path(), "parse").unwrap();
    assert_eq!(temporaries(root.path()), [""; 0]);
}

#[test]
fn the_environment_makes_one_write_fail() {
    // A claim makes four writes. In the fifth round, no write fails.
    for n in 1..=5 {
        let root = quick_folder();
        let status = child(Deed::Claim, root.path())
            .env("DWINDLE_FAULT_WRITE", n.to_string())
            .status()
            .unwrap();
        assert_eq!(status.success(), n == 5, "write {n}");
        let store = BugStore::open(root.path(), "parse").unwrap();
        assert_eq!(store.ids().unwrap().len(), usize::from(n == 5));
        assert_eq!(
            store.claim(id(), ORIGINAL, &pending()).unwrap(),
            if n == 5 { Claim::Known } else { Claim::New }
        );
    }
}

fn child(deed: Deed, root: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "kills::child_that_does_one_deed", "--ignored", "--nocapture"]);
    command.env("KILLS_DEED", format!("{deed:?}")).env("KILLS_ROOT", root);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    command
}

fn run_child(deed: Deed, root: &Path, step: u64) -> ExitStatus {
    child(deed, root).env("KILLS_STEP", step.to_string()).status().unwrap()
}

#[test]
#[ignore = "started by the tests above, to be killed"]
fn child_that_does_one_deed() {
    let Some(root) = env::var_os("KILLS_ROOT") else { return };
    let name = env::var("KILLS_DEED").unwrap();
    let deed = DEEDS.into_iter().find(|deed| format!("{deed:?}") == name).unwrap();
    let faults = match env::var("KILLS_STEP") {
        Ok(step) => FaultPlan::kill_at(step.parse().unwrap()),
        Err(_) => FaultPlan::none(),
    };
    open(Path::new(&root), &faults).and_then(|store| deed.run(&store)).unwrap();
}

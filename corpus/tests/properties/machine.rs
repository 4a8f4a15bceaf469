//! Two stores beside their models: writers that call, meet each other, merge and are killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;

use dwindle::prelude::*;
use dwindle_corpus::{BugStore, FaultPlan, Status, StoreError, Writer};
use tempfile::TempDir;

use crate::model::{Files, Known, KnownBug};
use crate::operation::{BUGS, Hit, IDS, Operation, id};
use crate::sample::{quick_folder, temporaries, tree};

/// The stores and what they must hold.
struct Stores {
    folders: [TempDir; 2],
    stores: [BugStore; 2],
    known: [Known; 2],
    /// Whether a writer was killed. Then `report.txt` may be ahead of `report.json`.
    was_stopped: [bool; 2],
}

impl Stores {
    fn new() -> Stores {
        let folders = [quick_folder(), quick_folder()];
        let stores = folders.each_ref().map(|folder| open(folder.path(), FaultPlan::none()));
        Stores {
            folders,
            stores,
            known: [Known::default(), Known::default()],
            was_stopped: [false; 2],
        }
    }

    /// A fault at one of the operations on the disk that a writer needs to open the store and to
    /// make its call.
    fn fault(&self, store: usize, at: u64, call: impl Fn(&BugStore)) -> FaultPlan {
        let rehearsal = quick_folder();
        for (name, content) in tree(self.folders[store].path()) {
            let path = rehearsal.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let faults = FaultPlan::counting();
        call(&open(rehearsal.path(), faults.clone()));
        FaultPlan::stop_at(1 + at % faults.steps())
    }

    /// Reads what a store holds after a call that was stopped. `after` is what the whole call would
    /// have left.
    fn recover(&mut self, store: usize, after: &Known, may_reopen: bool) {
        let seen = Known::observe(&self.stores[store]);
        assert_between(&self.known[store], after, &seen, may_reopen);
        let folder = self.folders[store].path();
        abandon(folder);
        self.stores[store] = open(folder, FaultPlan::none());
        assert_eq!(temporaries(folder), [""; 0], "left by a writer that was killed");
        self.known[store] = seen;
        self.was_stopped[store] = true;
    }
}

/// The number of a store, mostly of the first.
fn numbers() -> impl Generator<Value = usize> {
    g::sampled_from([0, 0, 1])
}

#[dwindle::state_machine(name = "stores", steps_max = 30)]
impl Stores {
    #[rule(weight = 6)]
    fn call(&mut self, #[generate(with = numbers())] store: usize, operation: Operation) {
        let answer = operation.run(&self.stores[store]).unwrap();
        assert_eq!(answer, self.known[store].apply(&operation));
    }

    /// A second writer opens the store and makes its call while the first one is at work.
    #[rule]
    fn call_at_once(
        &mut self,
        #[generate(with = numbers())] store: usize,
        first: Operation,
        second: Operation,
    ) {
        let open_and_call =
            || second.run(&open(self.folders[store].path(), FaultPlan::none())).unwrap();
        let answers = thread::scope(|scope| {
            let other = scope.spawn(open_and_call);
            let answer = first.run(&self.stores[store]).unwrap();
            (answer, other.join().unwrap())
        });
        let seen = Known::observe(&self.stores[store]);
        let mut one_by_one = self.known[store].clone();
        let in_order = (one_by_one.apply(&first), one_by_one.apply(&second));
        let mut the_other_way = self.known[store].clone();
        let second_answer = the_other_way.apply(&second);
        let reversed = (the_other_way.apply(&first), second_answer);
        assert!(
            (answers, &seen) == (in_order, &one_by_one)
                || (answers, &seen) == (reversed, &the_other_way),
            "not as if one call came after the other: {answers:?} {seen:#?}"
        );
        self.known[store] = seen;
    }

    #[rule]
    fn merge(&mut self, #[generate(with = numbers())] into: usize) {
        let merged = self.stores[into].merge_from(&self.stores[1 - into]).unwrap();
        let mut after = self.known[into].clone();
        after.merge(&self.known[1 - into]);
        assert_eq!(merged.bugs_new, (after.0.len() - self.known[into].0.len()) as u64);
        self.known[into] = after;
        assert_eq!(merged.left_out, []);
    }

    /// A user who has seen enough of a bug removes its folder.
    #[rule]
    fn forget(
        &mut self,
        #[generate(with = numbers())] store: usize,
        #[generate(with = g::integers(0..BUGS))] bug: u8,
    ) {
        let _ = fs::remove_dir_all(self.stores[store].bug(id(bug)).dir());
        self.known[store].0.remove(&id(bug));
    }

    /// A writer is killed at an operation on the disk, and the next one opens the store. `at`
    /// counts modulo the number of operations.
    #[rule(weight = 4)]
    fn stop(
        &mut self,
        #[generate(with = numbers())] store: usize,
        #[generate(with = g::integers(0..=99))] at: u64,
        operation: Operation,
    ) {
        let mut after = self.known[store].clone();
        let answer = after.apply(&operation);
        let stopped = try_open(
            self.folders[store].path(),
            self.fault(store, at, |store| drop(operation.run(store))),
        )
        .and_then(|store| operation.run(&store));
        if let Ok(stopped) = stopped {
            assert_eq!(stopped, answer);
            assert_eq!(Known::observe(&self.stores[store]), after);
        }
        self.recover(store, &after, matches!(operation, Operation::Finish { .. }));
    }

    #[rule]
    fn stop_merge(
        &mut self,
        #[generate(with = numbers())] into: usize,
        #[generate(with = g::integers(0..=99))] at: u64,
    ) {
        let mut after = self.known[into].clone();
        after.merge(&self.known[1 - into]);
        let stopped = try_open(
            self.folders[into].path(),
            self.fault(into, at, |store| drop(store.merge_from(&self.stores[1 - into]))),
        )
        .and_then(|store| store.merge_from(&self.stores[1 - into]));
        if stopped.is_ok() {
            assert_eq!(Known::observe(&self.stores[into]), after);
        }
        self.recover(into, &after, true);
    }

    #[invariant]
    fn stores_hold_what_they_must(&self) {
        for (store, known) in self.stores.iter().zip(&self.known) {
            assert_eq!(Known::observe(store), *known);
        }
    }

    #[invariant]
    fn pending_bugs_are_listed(&self) {
        for (store, known) in self.stores.iter().zip(&self.known) {
            let is_pending = |files: &Files| files.result.status == Status::Pending;
            let bugs = known.0.iter().filter(|(_, bug)| is_pending(&bug.files));
            assert_eq!(store.pending().unwrap(), bugs.map(|(id, _)| *id).collect::<Vec<_>>());
            let variants = known.0.iter().flat_map(|(id, bug)| {
                let pending = bug.variants.iter().filter(|(_, files)| is_pending(files));
                pending.map(|(key, _)| (*id, key.clone()))
            });
            assert_eq!(store.pending_variants().unwrap(), variants.collect::<Vec<_>>());
        }
    }

    #[invariant]
    fn people_and_programs_read_the_same(&self) {
        let intact = self.stores.iter().zip(&self.known).zip(self.was_stopped);
        for ((store, known), _) in intact.filter(|(_, was_stopped)| !was_stopped) {
            let bugs = known.0.keys().map(|id| store.bug(*id));
            let variants = known
                .0
                .iter()
                .flat_map(|(id, bug)| bug.variants.keys().map(|key| store.variant(*id, key)));
            for bug in bugs.chain(variants) {
                let text = fs::read_to_string(bug.report_text()).unwrap();
                assert_eq!(text, bug.read_report().unwrap().to_text());
            }
        }
    }

    #[invariant]
    fn every_id_has_its_bug(&self) {
        for (store, known) in self.stores.iter().zip(&self.known) {
            for id in (0..IDS).map(id) {
                assert_eq!(store.known_as(id, None).unwrap(), known.known_as(id));
            }
        }
    }
}

#[dwindle::test(store = None, max_cases = 200, seed = 1)]
fn a_store_holds_what_it_promises(tc: &mut TestCase, hit: Hit) {
    let mut stores = Stores::new();
    // Most calls need a bug, so the first store has one.
    stores.call(0, Operation::Claim { bug: 0, hit });
    tc.run(stores);
}

fn try_open(root: &Path, faults: FaultPlan) -> Result<BugStore, StoreError> {
    BugStore::open_with_faults(root, "parse", faults)
}

fn open(root: &Path, faults: FaultPlan) -> BugStore {
    try_open(root, faults).unwrap()
}

/// Checks that each part of `seen` is that of `before` or that of `after`, or what a result that
/// was stopped may leave if `may_reopen`: a pending bug with either input.
fn assert_between(before: &Known, after: &Known, seen: &Known, may_reopen: bool) {
    for (id, bug) in &before.0 {
        assert!(seen.0.contains_key(id), "the bug {id} is lost: {bug:?}");
    }
    for (id, seen) in &seen.0 {
        let after = after.0.get(id).expect("a bug from nowhere");
        let none = KnownBug { variants: BTreeMap::new(), counts: BTreeMap::new(), ..after.clone() };
        let none = KnownBug { contents: BTreeMap::new(), ..none };
        let before = before.0.get(id).unwrap_or(&none);
        assert_files_between(&before.files, &after.files, &seen.files, may_reopen);
        for key in before.variants.keys() {
            assert!(seen.variants.contains_key(key), "the variant {key} is lost");
        }
        for (key, seen) in &seen.variants {
            let after = after.variants.get(key).expect("a variant from nowhere");
            let before = before.variants.get(key).unwrap_or(after);
            assert_files_between(before, after, seen, may_reopen);
        }
        assert!(is_between(&before.counts, &after.counts, &seen.counts), "{seen:#?}");
        assert!(is_between(&before.contents, &after.contents, &seen.contents), "{seen:#?}");
    }
}

fn assert_files_between(before: &Files, after: &Files, seen: &Files, may_reopen: bool) {
    assert!(before.originals.is_subset(&seen.originals), "an original is lost: {seen:#?}");
    assert!(seen.originals.is_subset(&after.originals), "an original from nowhere: {seen:#?}");
    let is_that_of =
        |files: &Files| *seen == Files { originals: seen.originals.clone(), ..files.clone() };
    let mut reopened = before.clone();
    reopened.originals.clone_from(&seen.originals);
    reopened.result.status = Status::Pending;
    reopened.result.repro = None;
    let is_reopened = |input: &[u8]| {
        let mut reopened = reopened.clone();
        reopened.result.input = input.to_vec();
        may_reopen && *seen == reopened
    };
    assert!(
        is_that_of(before)
            || is_that_of(after)
            || is_reopened(&before.result.input)
            || is_reopened(&after.result.input),
        "neither the old state nor the new one: {seen:#?}"
    );
}

/// Whether each entry of `seen` is an old or a new one, and no old one is missing.
fn is_between<K: Ord, V: PartialEq>(
    before: &BTreeMap<K, V>,
    after: &BTreeMap<K, V>,
    seen: &BTreeMap<K, V>,
) -> bool {
    before.keys().all(|key| seen.contains_key(key))
        && seen
            .iter()
            .all(|(key, value)| before.get(key) == Some(value) || after.get(key) == Some(value))
}

/// Gives the temporaries of this process to a process that has ended.
fn abandon(folder: &Path) {
    static DEAD: OnceLock<u32> = OnceLock::new();
    let dead = *DEAD.get_or_init(|| {
        let mut child = Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    });
    let me = Writer::this_process().to_string();
    let ended = me.replacen(&format!("-{}-", std::process::id()), &format!("-{dead}-"), 1);
    for temporary in temporaries(folder) {
        fs::rename(&temporary, temporary.replace(&me, &ended)).unwrap();
    }
}

//! Merging has one result, byte for byte, whatever the order and the number of merges.

use std::collections::BTreeMap;

use dwindle::prelude::*;
use dwindle_corpus::{BugStore, Report};
use tempfile::TempDir;

use crate::operation::{End, Hit, Operation, id, inputs};
use crate::sample::{quick_folder, tree};

/// What a writer does to one of three stores.
#[derive(Clone, Debug, Generate)]
enum Deed {
    Call(Operation),
    /// A result with everything that may differ between results of one input.
    #[generate(weight = 2)]
    Finish {
        #[generate(with = inputs())]
        input: Vec<u8>,
        hit: Hit,
        end: End,
        #[generate(with = g::option(g::integers(1..=2)))]
        choices: Option<u64>,
        #[generate(with = g::option(g::sampled_from(["test", "other test"])))]
        repro: Option<&'static str>,
        message: Message,
    },
}

/// A message that may be too long for `report.txt`, or for `report.json` too.
#[derive(Clone, Debug, Generate)]
struct Message {
    #[generate(with = g::sampled_from([0, 5_000, 100_000]))]
    length: usize,
    #[generate(with = g::sampled_from(["a", "b"]))]
    end: &'static str,
}

impl Message {
    fn text(&self) -> String {
        "m".repeat(self.length) + self.end
    }
}

impl Deed {
    fn run(&self, store: &BugStore) {
        match self {
            Deed::Call(operation) => drop(operation.run(store).unwrap()),
            Deed::Finish { input, hit, end, choices, repro, message } => {
                let report = Report {
                    status: end.status(),
                    minimized_choices: *choices,
                    message: message.text(),
                    ..hit.report()
                };
                store.claim(id(0), &hit.input, &report).unwrap();
                store.finish(id(0), input, &report, *repro).unwrap();
            }
        }
    }
}

/// One of the three stores, and what happens to it.
fn deeds() -> impl Generator<Value = Vec<(usize, Deed)>> {
    g::vec((g::integers(0..3), any::<Deed>())).len(..=12)
}

/// New stores in which the deeds were done.
fn stores(deeds: &[(usize, Deed)]) -> (TempDir, [BugStore; 3]) {
    let root = quick_folder();
    let open = |name: &str| BugStore::open(&root.path().join(name), "parse").unwrap();
    let stores = ["a", "b", "c"].map(open);
    for (store, deed) in deeds {
        deed.run(&stores[*store]);
    }
    (root, stores)
}

/// What one store holds after merges: `(0, 1)` takes all of the second store into the first one.
fn merged(deeds: &[(usize, Deed)], merges: &[(usize, usize)]) -> BTreeMap<String, Vec<u8>> {
    let (_root, stores) = stores(deeds);
    for (into, from) in merges {
        let before = tree(stores[*from].dir());
        stores[*into].merge_from(&stores[*from]).unwrap();
        assert_eq!(tree(stores[*from].dir()), before, "what is merged from stays as it is");
    }
    let last = &stores[merges.last().map_or(0, |(into, _)| *into)];
    assert_eq!(last.damaged(), []);
    let files = tree(last.dir());
    for (name, whole) in files.iter().filter(|(name, _)| name.ends_with("full.txt")) {
        let text = &files[&name.replace("full.txt", "report.txt")];
        assert_eq!(last_lines(whole), last_lines(text), "{name} and report.txt");
    }
    files
}

/// What a report says of the hits of a bug, and what follows it.
fn last_lines(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let (_, lines) = text.rsplit_once("\nhits: ").expect("each report counts the hits");
    lines.to_owned()
}

/// Checks that two stores hold the same files, and names those that differ.
#[track_caller]
fn assert_same(left: &BTreeMap<String, Vec<u8>>, right: &BTreeMap<String, Vec<u8>>) {
    let names = left.keys().chain(right.keys());
    let differ: Vec<_> = names.filter(|name| left.get(*name) != right.get(*name)).collect();
    assert_eq!(differ, [""; 0]);
}

#[dwindle::test(store = None, max_cases = 40, seed = 1)]
fn merging_is_commutative(#[generate(with = deeds())] deeds: Vec<(usize, Deed)>) {
    assert_same(&merged(&deeds, &[(0, 1)]), &merged(&deeds, &[(1, 0)]));
}

#[dwindle::test(store = None, max_cases = 40, seed = 1)]
fn merging_is_associative(#[generate(with = deeds())] deeds: Vec<(usize, Deed)>) {
    assert_same(&merged(&deeds, &[(0, 1), (0, 2)]), &merged(&deeds, &[(1, 2), (0, 1)]));
}

#[dwindle::test(store = None, max_cases = 40, seed = 1)]
fn merging_again_changes_nothing(#[generate(with = deeds())] deeds: Vec<(usize, Deed)>) {
    let once = merged(&deeds, &[(0, 1)]);
    assert_same(&once, &merged(&deeds, &[(0, 1), (0, 1)]));
    assert_same(&once, &merged(&deeds, &[(0, 1), (1, 0), (0, 1)]));
}

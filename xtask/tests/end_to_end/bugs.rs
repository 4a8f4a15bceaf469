//! What a store holds, read as any user would.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::stage::{Stage, files_in, names_in};

/// One bug's folder.
#[derive(Debug)]
pub(crate) struct Bug {
    pub(crate) dir: PathBuf,
    pub(crate) report: Value,
}

impl Bug {
    pub(crate) fn input(&self) -> PathBuf {
        self.dir.join("input")
    }

    pub(crate) fn id(&self) -> &str {
        self.report["bug_id"].as_str().unwrap()
    }

    pub(crate) fn status(&self) -> &str {
        self.report["status"].as_str().unwrap()
    }

    pub(crate) fn message(&self) -> &str {
        self.report["message"].as_str().unwrap()
    }

    /// The draws, one after the other.
    pub(crate) fn draws(&self) -> String {
        self.report["value"]
            .as_array()
            .unwrap()
            .iter()
            .map(|draw| draw.as_str().unwrap())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// What all writers have counted, and once each content that any of them has recorded.
    pub(crate) fn hits(&self) -> u64 {
        let counters = files_in(&self.dir.join("sightings"));
        let records = files_in(&self.dir.join("contents"))
            .into_iter()
            .map(|record| fs::read_to_string(record).unwrap());
        let contents: BTreeSet<String> = records
            .flat_map(|record| {
                record.lines().skip(1).map(|line| line[..32].to_owned()).collect::<Vec<_>>()
            })
            .collect();
        counters
            .iter()
            .map(|counter| fs::read_to_string(counter).unwrap().trim().parse::<u64>().unwrap())
            .sum::<u64>()
            + contents.len() as u64
    }

    /// Its variants.
    pub(crate) fn variants(&self) -> Vec<Bug> {
        names_in(&self.dir)
            .into_iter()
            .filter(|name| name.starts_with("variant-"))
            .map(|name| read(&self.dir.join(name)))
            .collect()
    }

    /// The first hit, byte for byte.
    pub(crate) fn original(&self) -> Vec<u8> {
        let name =
            names_in(&self.dir).into_iter().find(|name| name.starts_with("original-")).unwrap();
        fs::read(self.dir.join(name)).unwrap()
    }
}

impl Stage {
    /// All bugs of a target, by message. A folder that is no whole bug fails the test.
    pub(crate) fn bugs(&self, target: &str) -> Vec<Bug> {
        self.bugs_of("store", target)
    }

    /// The same of a store of this name.
    pub(crate) fn bugs_of(&self, store: &str, target: &str) -> Vec<Bug> {
        let store = self.path(store).join(target);
        let mut bugs: Vec<Bug> = names_in(&store)
            .into_iter()
            .filter(|name| !name.starts_with('.'))
            .map(|name| read(&store.join(name)))
            .collect();
        bugs.sort_by_key(|bug| bug.message().to_owned());
        bugs
    }

    /// The only bug of a target.
    #[track_caller]
    pub(crate) fn only_bug(&self, target: &str) -> Bug {
        let mut bugs = self.bugs(target);
        assert_eq!(bugs.len(), 1, "{bugs:#?}");
        bugs.remove(0)
    }
}

fn read(dir: &Path) -> Bug {
    let report = fs::read(dir.join("report.json"))
        .unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    Bug { dir: dir.to_owned(), report: serde_json::from_slice(&report).unwrap() }
}

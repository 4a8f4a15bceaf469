//! What a store promises to hold, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use dwindle_corpus::{Bug, BugId, BugStore, Claim, Content, ContentId, Status, VARIANTS_MAX};

use crate::operation::{Answer, Operation, content, id, repro, writer};

/// All bugs of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Known(pub(crate) BTreeMap<BugId, KnownBug>);

/// One bug with its variants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownBug {
    pub(crate) files: Files,
    pub(crate) variants: BTreeMap<String, Files>,
    pub(crate) counts: BTreeMap<String, u64>,
    pub(crate) contents: BTreeMap<ContentId, Content>,
}

/// The files of a bug or of a variant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Files {
    pub(crate) originals: BTreeSet<Vec<u8>>,
    pub(crate) result: Found,
    pub(crate) first: First,
    pub(crate) aliases: BTreeSet<BugId>,
}

/// The input that stays.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) status: Status,
    pub(crate) choices: Option<u64>,
    pub(crate) input: Vec<u8>,
    /// Not known while the bug is pending.
    pub(crate) repro: Option<String>,
}

/// The earliest hit: the second, unless it is unknown, and the engine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct First(pub(crate) u64, pub(crate) String);

impl First {
    fn earlier(&self, other: &First) -> First {
        let key = |first: &First| (first.0 == 0, first.0, first.1.is_empty(), first.1.clone());
        if key(other) < key(self) { other.clone() } else { self.clone() }
    }
}

impl Found {
    /// Of two results the one with the smaller key stays.
    fn key(&self) -> impl Ord + use<> {
        let reliability = match self.status {
            Status::Minimized | Status::BestEffort => 0,
            Status::Flaky => 1,
            Status::Pending => 2,
        };
        let mut bytes = self.input.clone();
        if self.choices.is_none() {
            bytes.reverse();
        }
        let choices = self.choices.unwrap_or(u64::MAX);
        (reliability, choices, bytes.len(), bytes, self.status == Status::BestEffort)
    }
}

impl Files {
    fn pending(input: &[u8], first: First) -> Files {
        Files {
            originals: BTreeSet::from([input.to_vec()]),
            result: Found {
                status: Status::Pending,
                choices: None,
                input: input.to_vec(),
                repro: None,
            },
            first,
            aliases: BTreeSet::new(),
        }
    }

    fn finish(&mut self, result: Found, first: &First) {
        if self.result.status == Status::Pending || result.key() < self.result.key() {
            self.result = result;
        }
        self.first = self.first.earlier(first);
    }

    fn merge(&mut self, other: &Files) {
        self.originals.extend(other.originals.iter().cloned());
        if other.result.key() < self.result.key() {
            self.result = other.result.clone();
        }
        self.first = self.first.earlier(&other.first);
        self.aliases.extend(&other.aliases);
    }

    fn observe(bug: &Bug) -> Files {
        let report = bug.read_report().unwrap();
        let read = |path| fs::read(path).unwrap();
        let is_pending = report.status == Status::Pending;
        Files {
            originals: bug.originals().unwrap().into_iter().map(read).collect(),
            result: Found {
                status: report.status,
                choices: report.minimized_choices,
                input: read(bug.input()),
                repro: fs::read_to_string(bug.repro()).ok().filter(|_| !is_pending),
            },
            first: First(report.first_seen, report.engine),
            aliases: report.aliases.into_iter().collect(),
        }
    }
}

impl KnownBug {
    fn new(files: Files) -> KnownBug {
        KnownBug {
            files,
            variants: BTreeMap::new(),
            counts: BTreeMap::new(),
            contents: BTreeMap::new(),
        }
    }

    pub(crate) fn hits(&self) -> u64 {
        self.counts.values().sum::<u64>() + self.contents.len() as u64
    }

    fn count(&mut self, writer: &str, hits: u64) {
        let count = self.counts.entry(writer.to_owned()).or_default();
        *count = hits.max(*count);
    }

    fn record(&mut self, content: &Content) {
        let recorded = self.contents.entry(content.id).or_insert_with(|| content.clone());
        *recorded = content.clone().min(recorded.clone());
    }

    fn folder(&mut self, key: Option<&str>) -> Option<&mut Files> {
        match key {
            None => Some(&mut self.files),
            Some(key) => self.variants.get_mut(key),
        }
    }
}

impl Known {
    /// What a store answers to a call, and holds after it.
    pub(crate) fn apply(&mut self, operation: &Operation) -> Answer {
        if let Operation::Claim { bug, hit } = operation {
            let mut claim = Claim::Known;
            self.0.entry(id(*bug)).or_insert_with(|| {
                claim = Claim::New;
                KnownBug::new(Files::pending(&hit.input, First(hit.second, hit.engine.to_owned())))
            });
            return Answer::Claimed(claim);
        }
        self.apply_to_known(operation).unwrap_or(Answer::Missing)
    }

    fn apply_to_known(&mut self, operation: &Operation) -> Option<Answer> {
        match operation {
            Operation::Claim { .. } => unreachable!("a claim needs no bug"),
            Operation::ClaimVariant { bug, key, hit } => {
                let variants = &mut self.bug(*bug)?.variants;
                return Some(Answer::Claimed(if variants.contains_key(*key) {
                    Claim::Known
                } else if variants.len() >= VARIANTS_MAX {
                    Claim::Full
                } else {
                    let first = First(hit.second, hit.engine.to_owned());
                    variants.insert((*key).to_owned(), Files::pending(&hit.input, first));
                    Claim::New
                }));
            }
            Operation::Finish { bug, key, hit, end, choices } => {
                let result = Found {
                    status: end.status(),
                    choices: *choices,
                    input: hit.input.clone(),
                    repro: repro(&hit.input),
                };
                let first = First(hit.second, hit.engine.to_owned());
                self.bug(*bug)?.folder(*key)?.finish(result, &first);
            }
            Operation::KeepOriginal { bug, key, original } => {
                self.bug(*bug)?.folder(*key)?.originals.insert(original.clone());
            }
            Operation::Count { bug, writer: number, hits } => {
                self.bug(*bug)?.count(&writer(*number).to_string(), *hits);
            }
            Operation::Record { bug, contents, .. } => {
                let bug = self.bug(*bug)?;
                for entry in contents {
                    bug.record(&content(entry));
                }
            }
            Operation::AddAlias { bug, alias } => {
                let known = self.bug(*bug)?;
                if bug != alias {
                    known.files.aliases.insert(id(*alias));
                }
            }
            Operation::Restate { bug } => drop(self.bug(*bug)?),
        }
        Some(Answer::Done)
    }

    fn bug(&mut self, number: u8) -> Option<&mut KnownBug> {
        self.0.get_mut(&id(number))
    }

    /// What a store holds after it took everything from another one.
    pub(crate) fn merge(&mut self, other: &Known) {
        for (id, from) in &other.0 {
            let bug = self.0.entry(*id).or_insert_with(|| KnownBug::new(from.files.clone()));
            bug.files.merge(&from.files);
            for (key, files) in &from.variants {
                bug.variants.entry(key.clone()).or_insert_with(|| files.clone()).merge(files);
            }
            from.counts.iter().for_each(|(writer, count)| bug.count(writer, *count));
            from.contents.values().for_each(|content| bug.record(content));
        }
    }

    /// The bug under which a failure with this id is kept.
    pub(crate) fn known_as(&self, id: BugId) -> BugId {
        if self.0.contains_key(&id) {
            return id;
        }
        let has_alias = |bug: &&BugId| self.0[*bug].files.aliases.contains(&id);
        self.0.keys().find(has_alias).copied().unwrap_or(id)
    }

    /// What a store holds.
    ///
    /// # Panics
    /// If something in the store is damaged, or does not fit what stands beside it.
    pub(crate) fn observe(store: &BugStore) -> Known {
        assert_eq!(store.damaged(), []);
        let observe = |id: BugId| {
            let bug = store.bug(id);
            let counts = fs::read_dir(bug.dir().join("sightings")).into_iter().flatten().flatten();
            let is_temporary = |name: &str| name.starts_with('.');
            let known = KnownBug {
                files: Files::observe(&bug),
                variants: store
                    .variants(id)
                    .unwrap()
                    .into_iter()
                    .map(|key| (key.clone(), Files::observe(&store.variant(id, &key))))
                    .collect(),
                counts: counts
                    .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
                    .filter(|(name, _)| !is_temporary(name))
                    .map(|(name, path)| {
                        (name, fs::read_to_string(path).unwrap().trim().parse().unwrap())
                    })
                    .collect(),
                contents: store.contents(id).unwrap().into_iter().map(|c| (c.id, c)).collect(),
            };
            assert_eq!(store.hits(id).unwrap(), known.hits());
            (id, known)
        };
        Known(store.ids().unwrap().into_iter().map(observe).collect())
    }
}

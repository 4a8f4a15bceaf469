//! Merges stores: any number of them, in any order, any number of times, with one result.

use std::fs;

use crate::contents::{read_record, records};
use crate::damage::check_original;
use crate::finish::{Files, standing, whole_of, with_what_both_know};
use crate::first::{First, with_first};
use crate::hits::{counters, read_counter};
use crate::report::opening_of;
use crate::{Bug, BugStore, Damage, Report, StoreError};

/// What a merge did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Merged {
    /// Bugs that are new in this store.
    pub bugs_new: u64,
    /// Bugs that this store already held. The merge completed them with what the other store had
    /// more.
    pub bugs_known: u64,
    /// What the merge left out, because it could not be read in the other store.
    pub left_out: Vec<Damage>,
}

impl BugStore {
    /// Adds everything from another store of this target. The other store is not changed.
    ///
    /// Originals, recorded contents and variants are united. The counts of one writer merge by
    /// maximum. Of two inputs the one that sorts first stays with its report, as in
    /// [`BugStore::finish`]. That report gets the earlier `first_seen` of both, with the engine of
    /// that hit. A merge may go beyond [`VARIANTS_MAX`](crate::VARIANTS_MAX), because dropping a
    /// variant would lose an original.
    ///
    /// A merge that was stopped at any point can be repeated.
    ///
    /// # Errors
    /// The other store's folder cannot be read, or a file cannot be written. A bug that is in both
    /// stores and damaged in this one is an error too.
    pub fn merge_from(&self, other: &BugStore) -> Result<Merged, StoreError> {
        let mut merged = Merged { left_out: other.damaged(), ..Merged::default() };
        for id in other.ids()? {
            if self.merge_folder(&other.bug(id), &self.bug(id))? {
                merged.bugs_new += 1;
            } else {
                merged.bugs_known += 1;
            }
            for key in other.variants(id)? {
                self.merge_folder(&other.variant(id, &key), &self.checked_variant(id, &key)?)?;
            }
            self.merge_counts(&other.bug(id), &self.bug(id))?;
        }
        Ok(merged)
    }

    /// Returns whether the bug is new in this store.
    fn merge_folder(&self, from: &Bug, to: &Bug) -> Result<bool, StoreError> {
        let found = Found::read(from)?;
        if self.publish(to, &found.files())? {
            return Ok(true);
        }
        let _lock = to.lock()?;
        for (name, bytes) in &found.originals {
            let path = to.dir().join(name);
            // Also replaces a damaged original: `bytes` match the hash in this name.
            if check_original(&path).is_err() {
                self.disk.replace(&path, bytes)?;
            }
        }
        let stored = to.read_report()?;
        let is_better = match fs::read(to.input()) {
            Ok(stored_input) => {
                let (repro, whole) = (fs::read_to_string(to.repro()).ok(), whole_of(to, &stored));
                let beside = (repro, whole, fs::read(to.steps()).ok());
                precedence(&found.report, &found.input, found.beside())
                    < precedence(&stored, &stored_input, beside)
            }
            Err(_) => true,
        };
        if is_better {
            let report = with_what_both_know(&found.report, &stored);
            let files = Files {
                input: &found.input,
                repro: found.repro.as_deref(),
                whole: found.whole.as_deref(),
                steps: found.steps.as_deref(),
            };
            self.replace(to, &stored, &report, &files)?;
        } else {
            self.add_what_is_known(to, &stored, &found.report)?;
        }
        Ok(false)
    }

    fn merge_counts(&self, from: &Bug, to: &Bug) -> Result<(), StoreError> {
        for counter in counters(from)? {
            if let (Ok(count), Some(writer)) =
                (read_counter(&counter), counter.file_name().and_then(|n| n.to_str()))
            {
                self.raise(to, writer, count)?;
            }
        }
        for record in records(from)? {
            if let (Ok(contents), Some(writer)) =
                (read_record(&record), record.file_name().and_then(|n| n.to_str()))
            {
                self.record_as(to, writer, contents.into_values())?;
            }
        }
        Ok(())
    }
}

/// `repro.rs`, the text with nothing cut, and `shrink.jsonl`.
type Beside = (Option<String>, Option<String>, Option<Vec<u8>>);

/// All files of a bug in another store.
struct Found {
    originals: Vec<(String, Vec<u8>)>,
    input: Vec<u8>,
    report: Report,
    json: Vec<u8>,
    text: String,
    whole: Option<String>,
    repro: Option<String>,
    steps: Option<Vec<u8>>,
}

impl Found {
    fn read(bug: &Bug) -> Result<Found, StoreError> {
        let _lock = bug.lock()?;
        let report = bug.read_report()?;
        let mut originals = Vec::new();
        for path in bug.originals()? {
            if let (Ok(bytes), Some(name)) =
                (check_original(&path), path.file_name().and_then(|n| n.to_str()))
            {
                originals.push((name.to_owned(), bytes));
            }
        }
        Ok(Found {
            originals,
            input: fs::read(bug.input())
                .map_err(|error| StoreError::io("read", &bug.input(), error))?,
            json: report.to_json(),
            text: report.to_text(),
            whole: whole_of(bug, &report),
            report,
            repro: fs::read_to_string(bug.repro()).ok(),
            steps: fs::read(bug.steps()).ok(),
        })
    }

    fn beside(&self) -> Beside {
        (self.repro.clone(), self.whole.clone(), self.steps.clone())
    }

    fn files(&self) -> Vec<(&str, &[u8])> {
        let mut files: Vec<(&str, &[u8])> = vec![
            ("input", &self.input),
            ("report.txt", self.text.as_bytes()),
            ("report.json", &self.json),
        ];
        files.extend(self.originals.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
        files.extend(self.whole.iter().map(|whole| (Bug::WHOLE, whole.as_bytes())));
        files.extend(self.steps.iter().map(|steps| (Bug::STEPS, steps.as_slice())));
        files.extend(self.repro.iter().map(|repro| ("repro.rs", repro.as_bytes())));
        files
    }
}

/// The sort key of a result in a merge: of two results the smaller one stays. Equal inputs compare
/// by report, then by `repro.rs`, `full.txt` and `shrink.jsonl`, so that the order of merges
/// does not matter.
///
/// The first hit and the aliases are left out of the comparison, because the stored report has them
/// from every store merged before.
fn precedence(report: &Report, input: &[u8], (repro, whole, steps): Beside) -> impl Ord + use<> {
    let json = with_first(&report.without_aliases(), &First::default()).to_json();
    let whole = whole.map(|whole| opening_of(&whole).to_owned());
    let is_unexplained = report.explanation.is_none();
    let has_no_lines = report.explanation.as_ref().is_none_or(|known| known.lines.is_empty());
    (
        standing(report, input),
        (is_unexplained, has_no_lines),
        json,
        (repro.is_none(), repro),
        (whole.is_none(), whole),
        (steps.is_none(), steps),
    )
}

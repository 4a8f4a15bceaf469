//! The minimizations that run at this moment. At Ctrl-C, the signal thread stores their smallest
//! inputs so far.
//!
//! The stored bug stays pending with its smaller input. The next run continues from that input.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use dwindle_corpus::{BugStore, Input, Report, Status, StoreError, read_input};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;

use crate::minimize::Minimized;
use crate::session::entry::Entry;
use crate::session::steps::Steps;

/// All unfinished minimizations of this process, by number.
static UNFINISHED: Mutex<BTreeMap<u64, State>> = Mutex::new(BTreeMap::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

/// What is known about one minimization.
struct State {
    store: BugStore,
    entry: Entry,
    /// The report as it is in the store.
    pending: Report,
    /// Number of choices of the original input.
    original_choices: usize,
    best: Option<Best>,
    steps: Steps,
}

struct Best {
    input: Vec<u8>,
    choices: usize,
    /// Whether the target takes the input bytes unchanged.
    is_raw: bool,
    calls: u64,
}

/// One minimization into the store. It counts as unfinished while this value lives.
pub(crate) struct Unfinished(u64);

impl Unfinished {
    /// Begins a minimization of an entry of the store.
    pub(crate) fn begin(store: &BugStore, entry: &Entry, pending: &Report) -> Unfinished {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let state = State {
            store: store.clone(),
            entry: entry.clone(),
            pending: pending.clone(),
            original_choices: 0,
            best: None,
            steps: Steps::default(),
        };
        all(|unfinished| unfinished.insert(number, state));
        Unfinished(number)
    }

    /// Records a smaller input, found after `calls` calls. `original_choices` is the number of
    /// choices of the minimization's first input.
    pub(crate) fn shrunk_to(&self, trace: &Trace, calls: u64, original_choices: usize) {
        let best = Best {
            input: encode(&trace.choices),
            choices: trace.len(),
            is_raw: trace.raw_input().is_some(),
            calls,
        };
        all(|unfinished| {
            if let Some(state) = unfinished.get_mut(&self.0) {
                state.steps.push(trace, &best.input, calls);
                (state.best, state.original_choices) = (Some(best), original_choices);
            }
        });
    }

    /// Ends the minimization. Returns its steps so far.
    pub(crate) fn into_steps(self) -> Steps {
        let state = all(|unfinished| unfinished.remove(&self.0));
        state.map_or_else(Steps::default, |state| state.steps)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        all(|unfinished| unfinished.remove(&self.0));
    }
}

/// Stores the smallest inputs so far. Returns each entry whose input became smaller, with the path
/// of the input. For a process that is about to end.
pub(crate) fn keep_all() -> Vec<Result<(Entry, std::path::PathBuf), StoreError>> {
    let unfinished = all(std::mem::take);
    unfinished.into_values().filter_map(|state| state.keep().transpose()).collect()
}

impl State {
    fn keep(self) -> Result<Option<(Entry, std::path::PathBuf)>, StoreError> {
        let Some(best) = self.best else { return Ok(None) };
        let choices = |choices: usize| (!best.is_raw).then_some(choices as u64);
        let report = Report {
            status: Status::Pending,
            minimized_bytes: Some(best.input.len() as u64),
            original_choices: self.pending.original_choices.or(choices(self.original_choices)),
            minimized_choices: choices(best.choices),
            calls: self.pending.calls + best.calls,
            ..self.pending
        };
        // A result that another process minimized to the end stays.
        self.entry.finish(&self.store, &best.input, &report, None)?;
        let path = self.entry.bug(&self.store).input();
        Ok(Some((self.entry, path)))
    }
}

fn all<T>(act: impl FnOnce(&mut BTreeMap<u64, State>) -> T) -> T {
    act(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Whether a minimization of this pending bug was interrupted. Its input is then smaller than its
/// original input.
fn was_begun(report: &Report) -> bool {
    report.status == Status::Pending && report.minimized_bytes.is_some()
}

/// The smaller input of a pending bug whose minimization was interrupted.
pub(crate) fn smaller(
    store: &BugStore,
    entry: &Entry,
    report: &Report,
) -> Result<Option<Input>, StoreError> {
    if was_begun(report) { read_input(&entry.bug(store).input()).map(Some) } else { Ok(None) }
}

/// The inputs to start a minimization from, the best one first: [`smaller`] and the original input.
pub(crate) fn starts(
    store: &BugStore,
    entry: &Entry,
    report: &Report,
) -> Result<Vec<Input>, StoreError> {
    let original = read_input(&entry.bug(store).original()?)?;
    Ok(smaller(store, entry, report)?.into_iter().chain([original]).collect())
}

/// The report of a minimization that may continue an interrupted one. Sizes, calls and times cover
/// both.
pub(crate) fn with_what_was_done(
    pending: &Report,
    minimized: &Minimized,
    report: Report,
) -> Report {
    if !was_begun(pending) {
        return report;
    }
    Report {
        original_choices: pending
            .original_choices
            .filter(|_| !minimized.is_raw)
            .or(report.original_choices),
        calls: report.calls + pending.calls,
        seconds: report.seconds + pending.seconds,
        ..report
    }
}

#[cfg(test)]
mod tests {
    use dwindle_corpus::{BugId, BugKind};
    use dwindle_engine::internals::Driver;

    use super::*;

    #[test]
    fn the_smallest_input_so_far_is_kept_and_the_bug_stays_pending() {
        let folder = tempfile::tempdir().unwrap();
        let store = BugStore::open(folder.path(), "target").unwrap();
        let id = BugId::from_bits(7);
        let pending = Report::pending("target", id, BugKind::Panic);
        store.claim(id, &[1, 2, 3, 4], &pending).unwrap();
        let entry = Entry::from(id);
        let unfinished = Unfinished::begin(&store, &entry, &pending);
        assert!(
            keep_all().iter().all(|kept| kept.as_ref().is_ok_and(|(kept, _)| *kept != entry)),
            "nothing smaller is known"
        );

        let unfinished = {
            drop(unfinished);
            Unfinished::begin(&store, &entry, &pending)
        };
        let mut tc = Driver::new();
        tc.start_bytes_recorded(&[9, 8], 10);
        for _ in 0..2 {
            tc.draw(dwindle_engine::generators::integers(0..=255u8));
        }
        unfinished.shrunk_to(tc.trace(), 12, 4);
        assert!(keep_all().iter().any(|kept| kept.as_ref().is_ok_and(|(kept, _)| *kept == entry)));
        let report = store.bug(id).read_report().unwrap();
        assert_eq!(
            (report.status, report.minimized_choices, report.original_choices, report.calls),
            (Status::Pending, Some(2), Some(4), 12)
        );
        let starts = starts(&store, &entry, &report).unwrap();
        assert_eq!(
            starts.iter().map(|input| input.to_vec()).collect::<Vec<_>>(),
            [vec![9, 8], vec![1, 2, 3, 4]]
        );
        assert_eq!(store.pending().unwrap(), [id]);
    }
}

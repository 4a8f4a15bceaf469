//! Minimizes bugs. Each bug is minimized from its simplest sample. Each other call path to it is
//! minimized from its own simplest sample, and is kept if the results differ.
//!
//! Two inputs may take different call paths and still become equal when they are minimized. Then
//! they show the same bug: Jiang et al., Igor, CCS 2021.

use dwindle_corpus::events::{Event, MinimizedBug};
use dwindle_corpus::{
    BugId, BugStore, Claim, Input, Report, Status, StoreError, VARIANTS_MAX, read_input,
};
use dwindle_engine::internals::Trace;

use crate::commands::minimizer::{not_reproduced, reduce, search_around};
use crate::commands::triage::groups::{Group, Sample};
use crate::events;
use crate::execution::{Executor, Run};
use crate::explain::known;
use crate::failure::failed::Failed;
use crate::failure::variants::{Variants, key_of};
use crate::isolation::Isolated;
use crate::limits::Limits;
use crate::minimize::{Minimized, Only};
use crate::session::entry::Entry;
use crate::session::report;
use crate::session::unfinished::{self, Unfinished};
use crate::target::Target;

/// The tools with which one thread minimizes.
pub(crate) struct Reducer<'a> {
    pub(crate) executor: &'a mut Isolated,
    pub(crate) target: &'a Target,
    pub(crate) store: &'a BugStore,
    pub(crate) limits: Limits,
}

/// The results of minimizations that the store does not hold.
#[derive(Debug, Default)]
pub(crate) struct Reduced {
    /// Number of call paths that became the same as another one.
    pub(crate) joined: u64,
    /// Failures of other bugs, hit during minimizations.
    pub(crate) met: Vec<Failed>,
}

/// A minimization to do.
pub(crate) enum Task {
    /// A bug that the files show, with the call paths to it.
    Files(BugId, Vec<CallPathSample>),
    /// An entry that waits in the store.
    Pending(Entry),
}

/// The key of a call path to a bug, and the simplest sample of it.
pub(crate) type CallPathSample = (Option<String>, Sample);

impl Task {
    pub(crate) fn id(&self) -> BugId {
        match self {
            Task::Files(id, _) => *id,
            Task::Pending(entry) => entry.id,
        }
    }
}

/// Whether a group still needs work. A sample that the store keeps was minimized before.
pub(crate) fn is_due(
    store: &BugStore,
    id: BugId,
    call_paths: &[CallPathSample],
) -> Result<bool, StoreError> {
    if store.bug(id).read_report()?.status == Status::Pending {
        return Ok(true);
    }
    let due = call_paths
        .iter()
        .filter_map(|(_, sample)| sample.item.read().ok())
        .map(|input| is_kept(store, id, &input));
    Ok(due.collect::<Result<Vec<_>, _>>()?.contains(&false))
}

/// The call paths to minimize, the one with the simplest sample first. Call paths beyond the
/// maximum number of variants are only counted.
pub(crate) fn samples(group: &Group) -> Vec<CallPathSample> {
    let mut call_paths = group.by_size();
    call_paths.truncate(1 + VARIANTS_MAX);
    call_paths
}

/// Whether the store keeps these bytes as an original input of the bug, or of one of its variants.
fn is_kept(store: &BugStore, id: BugId, input: &[u8]) -> Result<bool, StoreError> {
    let variants = store.variants(id)?;
    Ok(store.bug(id).has_original(input)
        || variants.iter().any(|key| store.variant(id, key).has_original(input)))
}

impl Reducer<'_> {
    pub(crate) fn run(&mut self, task: &Task) -> Result<Reduced, StoreError> {
        let mut reduced = Reduced::default();
        match task {
            Task::Files(id, call_paths) => self.call_paths(*id, call_paths, &mut reduced)?,
            Task::Pending(entry) => {
                let original = read_input(&entry.bug(self.store).original()?)?;
                self.sample(entry, &original, &mut reduced)?;
            }
        }
        Ok(reduced)
    }

    fn call_paths(
        &mut self,
        id: BugId,
        call_paths: &[CallPathSample],
        reduced: &mut Reduced,
    ) -> Result<(), StoreError> {
        let Some((first, others)) = call_paths.split_first() else { return Ok(()) };
        let is_pending = self.store.bug(id).read_report()?.status == Status::Pending;
        // A file that can no longer be read is skipped. The bug still waits in the store.
        if let Some(input) = self.due(id, &first.1, is_pending)? {
            self.sample(&id.into(), &input, reduced)?;
        }
        for (call_path, sample) in others {
            let own = key_of(&self.store.bug(id).read_report()?.frames);
            let is_different = call_path.is_some()
                && *call_path != own
                && !self.store.variants(id)?.contains(call_path.as_ref().unwrap_or(&String::new()));
            if is_different && let Some(input) = self.due(id, sample, false)? {
                self.other_call_path(id, own.as_deref(), &input, reduced)?;
            }
        }
        Ok(())
    }

    /// The content of a sample, if the sample needs to be minimized. A sample of a pending bug
    /// always does, and another one unless the store keeps it. `None` also if the sample cannot be
    /// read.
    fn due(
        &self,
        id: BugId,
        sample: &Sample,
        is_pending: bool,
    ) -> Result<Option<Input>, StoreError> {
        let Ok(input) = sample.item.read() else { return Ok(None) };
        Ok(if is_pending || !is_kept(self.store, id, &input)? { Some(input) } else { None })
    }

    /// Minimizes a sample of a bug, or of a variant. The store keeps the new result if it is
    /// smaller than the stored one.
    fn sample(
        &mut self,
        entry: &Entry,
        input: &[u8],
        reduced: &mut Reduced,
    ) -> Result<(), StoreError> {
        let stored = entry.bug(self.store).read_report()?;
        self.executor.start_afresh();
        let unfinished = Unfinished::begin(self.store, entry, &stored);
        // After an interrupted minimization, the smaller input comes first.
        let smaller = unfinished::smaller(self.store, entry, &stored)?;
        let mut minimized = Err(Box::new(Run::Passed));
        for start in smaller.as_deref().into_iter().chain([input]) {
            if minimized.is_err() {
                minimized = self.reduce(entry, &stored, start, Some(&unfinished));
            }
        }
        drop(unfinished);
        match minimized {
            Ok(minimized) => {
                self.finish(entry, &stored, input, &minimized)?;
                self.meet(&minimized, reduced);
            }
            Err(_) if stored.status == Status::Pending => {
                not_reproduced(self.executor, self.store, (entry, &stored), input)?;
            }
            Err(_) => {}
        }
        // Comes last, because it marks that this sample needs no more work.
        self.store.keep_original(entry.id, entry.variant.as_deref(), input)
    }

    /// Minimizes an input, and searches around the result. Leaves out other bugs that this search
    /// hits: the time decides which ones it hits.
    fn reduce(
        &mut self,
        entry: &Entry,
        stored: &Report,
        input: &[u8],
        unfinished: Option<&Unfinished>,
    ) -> Result<Minimized, Box<Run>> {
        let known =
            known::outside(self.executor, self.store, entry.id, entry.cause()).unwrap_or_default();
        let only = Only { call_path: entry.call_path(), outside: &known };
        let mut minimized = reduce(self.executor, only, stored, input, self.limits, unfinished)?;
        let others = minimized.others.len();
        search_around(self.executor, only, self.limits, &mut minimized, &mut || false);
        minimized.others.truncate(others);
        Ok(minimized)
    }

    /// Minimizes a sample with another call path than the bug itself. The sample becomes a variant
    /// only if its result stays different.
    fn other_call_path(
        &mut self,
        id: BugId,
        own: Option<&str>,
        input: &[u8],
        reduced: &mut Reduced,
    ) -> Result<(), StoreError> {
        let stored = self.store.bug(id).read_report()?;
        self.executor.start_afresh();
        let Ok(minimized) = self.reduce(&id.into(), &stored, input, None) else {
            return self.store.keep_original(id, None, input);
        };
        self.meet(&minimized, reduced);
        if self.is_stored(id, &minimized.input)? {
            reduced.joined += 1;
            return self.store.keep_original(id, None, input);
        }
        let mut entry = Entry::from(id);
        let call_path = Variants::new(self.executor.manifest_dir())
            .key(&minimized.failed)
            .filter(|call_path| Some(call_path.as_str()) != own);
        if let Some(call_path) = call_path {
            let pending = report::pending(&stored.target, &minimized.failed, input, &stored.engine);
            // If the bug has too many variants, the result is offered as a simpler input of the bug
            // itself.
            if self.store.claim_variant(id, &call_path, input, &pending)? != Claim::Full {
                entry.variant = Some(call_path);
            }
        }
        let base = entry.bug(self.store).read_report()?;
        self.finish(&entry, &base, input, &minimized)?;
        reduced.joined += u64::from(entry.variant.is_none());
        self.store.keep_original(id, entry.variant.as_deref(), input)
    }

    /// Whether these bytes are the input of a bug or of one of its variants.
    fn is_stored(&self, id: BugId, input: &[u8]) -> Result<bool, StoreError> {
        let variants = self.store.variants(id)?.into_iter().map(|key| self.store.variant(id, &key));
        for bug in std::iter::once(self.store.bug(id)).chain(variants) {
            if *read_input(&bug.input())? == *input {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Collects other bugs that a minimization hit. They are reported but not kept: no file shows
    /// them, and the start input decides which bugs are hit.
    fn meet(&mut self, minimized: &Minimized, reduced: &mut Reduced) {
        for other in &minimized.others {
            if let Run::Failed(failed) = self.executor.run_input(other, &mut Trace::default()) {
                reduced.met.push(failed);
            }
        }
    }

    fn finish(
        &self,
        entry: &Entry,
        stored: &Report,
        input: &[u8],
        minimized: &Minimized,
    ) -> Result<(), StoreError> {
        let base = Report { original_bytes: input.len() as u64, ..stored.clone() };
        let report = unfinished::with_what_was_done(
            stored,
            minimized,
            report::minimized(&base, minimized, self.executor.manifest_dir()),
        );
        let repro = report::repro(&self.target.name(), entry.id, &report, &minimized.input);
        entry.finish(self.store, &minimized.input, &report, Some(&repro))?;
        let bug = entry.bug(self.store);
        // An earlier stored input may be smaller, and then there is nothing new to report.
        if *read_input(&bug.input())? == *minimized.input {
            let report = bug.read_report()?;
            let reproduce = report::reproduce(&self.target.name(), report.kind, &bug.input());
            let text = report::text(&report, bug.dir(), &reproduce);
            let event = MinimizedBug {
                variant: entry.variant.clone(),
                ..MinimizedBug::new(report, bug.dir(), reproduce)
            };
            events::say(Event::Minimized(Box::new(event)), &text);
        }
        Ok(())
    }
}

//! The explainer processes of a session: which minimized bug is next, and what is known of it.
//!
//! They run while nothing waits to be minimized. So an explanation delays no bug. An explained bug
//! may have further causes: explainers look for them among samples of the inputs that failed as it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;
use std::process::Child;
use std::time::{Duration, Instant};

use dwindle_corpus::events::{Event, MinimizedBug};
use dwindle_corpus::{BugId, Report, Status, StoreError};

use super::{Session, minimizer, report};
use crate::environment::{self, Command};
use crate::session::allowance::Allowance;
use crate::session::entry::Entry;
use crate::session::patience::Patience;
use crate::session::samples::Samples;
use crate::system::{priority, usage};
use crate::{events, explain};

/// How long explanations may take after the fuzzing is over, all together. Nothing looks for
/// further causes then: their explanations would come too late.
const AFTERWARDS: Duration = Duration::from_secs(10);
/// How long one explainer may live.
const PATIENCE: Duration = Duration::from_secs(30);

/// The bugs to explain.
#[derive(Default)]
pub(super) struct Explaining {
    queue: VecDeque<Entry>,
    /// The entries that had their turn or wait for it.
    known: BTreeSet<Entry>,
    running: Option<Running>,
    /// Inputs that failed as a known bug.
    samples: BTreeMap<BugId, Samples>,
    allowance: Allowance,
    /// The time of the last look that found something to minimize.
    last_look: Duration,
    /// The bugs whose input is explained.
    explained: BTreeSet<BugId>,
    /// When the fuzzing was over.
    over: Option<Instant>,
}

struct Running {
    entry: Entry,
    /// Whether the input of the entry was explained before.
    was_explained: bool,
    child: Child,
    patience: Patience,
}

impl Session {
    /// Keeps some of the inputs that fail as a known bug. Frequent calls are cheap.
    pub(super) fn sample(&mut self, id: BugId, input: &[u8]) {
        if self.minimizes && environment::explains() {
            let Explaining { samples, allowance, .. } = &mut self.explaining;
            let new = || {
                allowance.grant();
                Samples::default()
            };
            samples.entry(id).or_insert_with(new).add(input);
        }
    }

    /// Queues a bug that is minimized and not explained.
    pub(super) fn want_explanation(&mut self, entry: &Entry, report: &Report) {
        if entry.variant.is_none() && report.explanation.is_some() {
            self.explaining.explained.insert(entry.id);
        }
        let is_done = matches!(report.status, Status::Minimized | Status::BestEffort);
        if is_done
            && self.minimizes
            && environment::explains()
            && report.explanation.is_none()
            && !report.only_when_fresh
            && explain::is_worth_it(report.kind)
            && self.explaining.known.insert(entry.clone())
        {
            self.explaining.queue.push_back(entry.clone());
        }
    }

    /// Continues the explanations. `is_idle`: nothing is minimized, and nothing waits for it.
    pub(super) fn poll_explaining(&mut self, is_idle: bool) -> Result<(), StoreError> {
        self.reap_explainer()?;
        if is_idle && self.explaining.running.is_none() {
            self.start_explainer();
        }
        Ok(())
    }

    fn reap_explainer(&mut self) -> Result<(), StoreError> {
        let is_over = self.explaining.over.is_some();
        let Some(running) = &mut self.explaining.running else { return Ok(()) };
        let process = running.child.id() as libc::pid_t;
        let may_go_on = !(is_over && running.was_explained) && running.patience.is_left(process);
        let mut took = usage::time_at_end(process);
        match running.child.try_wait() {
            Ok(None) if may_go_on => return Ok(()),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => {
                took = Some(priority::turns_with_offspring(process).ran);
                let _ = running.child.kill();
                let _ = running.child.wait();
            }
        }
        let took = took.unwrap_or_default();
        let (entry, was_explained) = (running.entry.clone(), running.was_explained);
        self.explaining.running = None;
        if !was_explained {
            self.announce_explanation(&entry);
            return Ok(());
        }
        let found = self.queue_causes(entry.id)?;
        self.explaining.samples.entry(entry.id).or_default().looked(found);
        if found {
            self.explaining.last_look = took;
        } else {
            self.explaining.allowance.searched_in_vain(took);
        }
        Ok(())
    }

    /// Notes the end of a minimization that took so much processor time. If it was of a cause, it
    /// shows whether the search for this cause was worth its time.
    pub(super) fn minimized_after_a_look(&mut self, entry: &Entry, took: Duration) {
        if entry.cause().is_none() {
            return;
        }
        let took = took + std::mem::take(&mut self.explaining.last_look);
        let report = entry.bug(&self.store).read_report();
        if report.is_ok_and(|report| !report.is_further_form()) {
            self.explaining.allowance.grant();
        } else {
            self.explaining.allowance.searched_in_vain(took);
        }
    }

    /// The entry to explain next, and samples of the inputs that failed as this bug if the entry
    /// is explained already.
    fn next_to_explain(&mut self) -> Option<(Entry, Option<Vec<u8>>)> {
        let elapsed = self.started.elapsed();
        let Explaining { queue, samples, allowance, explained, over, .. } = &mut self.explaining;
        if over.is_some() {
            samples.clear();
        }
        if let Some(entry) = queue.pop_front() {
            return Some((entry, None));
        }
        let is_due =
            |(id, samples): &(&BugId, &mut Samples)| explained.contains(id) && samples.is_due();
        let longest_ago = |(_, samples): &(&BugId, &mut Samples)| samples.looked;
        let (id, samples) = samples.iter_mut().filter(is_due).min_by_key(longest_ago)?;
        allowance.is_left(elapsed).then(|| (Entry::from(*id), Some(samples.take())))
    }

    fn start_explainer(&mut self) {
        let Some((entry, sampled)) = self.next_to_explain() else { return };
        // Without a process the bug has no explanation, and the run goes on.
        let child = minimizer::start(&self.store, &entry, self.priority, Command::Explainer);
        self.explaining.running = child.ok().map(|mut child| {
            let was_explained = sampled.is_some();
            if let Some(mut pipe) = child.stdin.take() {
                // The explainer may be dead already.
                let _ = pipe.write_all(&sampled.unwrap_or_default());
            }
            Running { entry, was_explained, child, patience: Patience::new(PATIENCE) }
        });
    }

    /// Queues the new causes of a bug. Returns whether there are any. Other bugs of the store may
    /// be with another process.
    fn queue_causes(&mut self, id: BugId) -> Result<bool, StoreError> {
        let pending = Entry::pending(&self.store)?;
        let is_new = |entry: &Entry| {
            entry.id == id
                && entry.cause().is_some()
                && !self.tried.contains(entry)
                && !self.queue.contains(entry)
        };
        let new: Vec<Entry> = pending.into_iter().filter(is_new).collect();
        let found = !new.is_empty();
        self.queue.extend(new);
        Ok(found)
    }

    fn announce_explanation(&mut self, entry: &Entry) {
        let bug = entry.bug(&self.store);
        let Ok(report) = bug.read_report() else { return };
        if entry.variant.is_none() && report.explanation.is_some() {
            self.explaining.explained.insert(entry.id);
        }
        let lines = report.explained();
        if lines.is_empty() {
            return;
        }
        let text = format!("bug {entry}:\n  {}", lines.join("\n  "));
        let reproduce = report::reproduce(&self.target, report.kind, &bug.input());
        let event = MinimizedBug {
            variant: entry.variant.clone(),
            ..MinimizedBug::new(report, bug.dir(), reproduce)
        };
        events::say(Event::Explained(Box::new(event)), &text);
    }

    /// Whether an explainer runs or will run.
    pub(super) fn is_explaining(&self) -> bool {
        let explaining = &self.explaining;
        let is_late = explaining.over.is_some_and(|over| over.elapsed() >= AFTERWARDS);
        !is_late && (explaining.running.is_some() || !explaining.queue.is_empty())
    }

    /// From now on there is little time left for explanations.
    pub(super) fn limit_explaining(&mut self) {
        self.explaining.over.get_or_insert_with(Instant::now);
    }

    /// Ends the explainer. Its bug keeps its report.
    pub(super) fn stop_explaining(&mut self) {
        if let Some(mut running) = self.explaining.running.take() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }

    /// The running explainer, a child of this process.
    pub(super) fn explainer(&self) -> Option<libc::pid_t> {
        self.explaining.running.as_ref().map(|running| running.child.id() as libc::pid_t)
    }
}

//! Several causes of one failing assertion: which failures the known causes explain.

use dwindle_corpus::{BugId, BugStore, Status, is_cause_key, read_input};
use dwindle_engine::TestCase;
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::explain::{Cause, Claims};

use super::search::{Hunt, Pending};
use crate::execution::{Executor, Run};
use crate::explain::explained::is_explained;
use crate::explain::further_form::further_form;
use crate::explain::stored;
use crate::failure::failed::Failed;
use crate::minimize::Minimized;

impl<P: FnMut(&mut TestCase)> Hunt<'_, P> {
    /// The known causes of a bug.
    pub(super) fn causes_of(&self, id: BugId) -> Vec<Cause> {
        let of_bug = self.causes.iter().filter(|(known, _)| *known == id);
        of_bug.map(|(_, cause)| cause.clone()).collect()
    }

    /// Notes the cause of a minimized failure. Returns `false` if it is a known cause of this bug,
    /// a further form of one, or has the [form](Cause::form) of one: a test reports only causes
    /// that are surely different. A failure without an explanation has no cause.
    ///
    /// `found` is the input from which the failure was minimized, and its trace.
    pub(super) fn is_a_new_cause(
        &mut self,
        id: BugId,
        (input, found): (&[u8], &Trace),
        minimized: &Minimized,
    ) -> bool {
        let Some(explanation) = &minimized.explanation else { return true };
        let mut trace = found.clone();
        if minimized.input != input {
            self.calls += 1;
            if self.executor.run_input(&minimized.input, &mut trace).failure().is_none() {
                return true;
            }
        }
        let claims = stored::read(&explanation.claims, &trace).unwrap_or_else(Claims::none);
        let mut cause = Cause { minimized: trace, claims };
        let known = self.causes_of(id);
        let bug = (id, minimized.failed.kind);
        let is_known = known.iter().any(|known| known.form() == cause.form())
            || further_form(self.executor, bug, &mut cause, &known).is_some();
        self.causes.push((id, cause));
        !is_known
    }

    /// The simplest sample that no known cause of its bug explains. Forgets those that are
    /// explained.
    pub(super) fn unexplained(&mut self) -> Option<Pending> {
        for at in (0..self.samples.len()).rev() {
            let Failed { id, kind, .. } = self.samples[at].failed;
            let known = self.causes_of(id);
            let trace = &self.samples[at].trace;
            if known.is_empty() || is_explained(self.executor, (id, kind), &known, trace) {
                self.samples.remove(at);
            }
        }
        let simplest = (0..self.samples.len()).min_by_key(|at| self.samples[*at].trace.len())?;
        Some(self.samples.swap_remove(simplest))
    }

    /// Replays the variants by cause of a stored bug.
    pub(super) fn replay_causes(&mut self, store: &BugStore, id: BugId) {
        if !self.explains() {
            return;
        }
        for key in
            store.variants(id).unwrap_or_default().into_iter().filter(|key| is_cause_key(key))
        {
            let bug = store.variant(id, &key);
            let stored = bug.read_report().ok().filter(|report| report.status != Status::Pending);
            let (Some(report), Ok(input)) = (stored, read_input(&bug.input())) else { continue };
            let mut trace = Trace::default();
            self.calls += 1;
            if let Run::Failed(failed) = self.executor.run_input(&input, &mut trace) {
                let input = input.to_vec();
                self.pending.push_back(Pending {
                    failed,
                    input,
                    trace,
                    case: None,
                    calls: self.calls,
                    stored: Some((id, report)),
                    cause_key: Some(key),
                });
            }
        }
    }
}

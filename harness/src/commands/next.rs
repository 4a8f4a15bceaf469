//! Looks for failures of known bugs that no known cause explains.

use std::fs::File;

use dwindle_corpus::events::{Event, MinimizedBug};
use dwindle_corpus::{
    BugId, BugStore, Claim, Report, Status, StoreError, cause_key, is_cause_key, read_input,
};
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::explain::Cause;

use super::explainer::{explain_entry, unexplained};
use super::minimizer::{reduce, search_around};
use crate::execution::Executor;
use crate::exit::{BUGS_SEEN, ENVIRONMENT, INTERRUPTED, NOTHING_FAILED, WRONG_USE, refuse};
use crate::explain::known;
use crate::isolation::Isolated;
use crate::limits::Limits;
use crate::minimize::Only;
use crate::session::entry::Entry;
use crate::session::{report, signals, store};
use crate::system::process;
use crate::target::Target;
use crate::{environment, events};

/// How many runs the search for one cause takes, and how long, unless the user gives a budget.
const RUNS_MAX: u64 = 100_000;

/// The search for causes ends after as many failures in a row that do not repeat.
const LOST_MAX: u32 = 3;
/// The search for causes ends after as many further forms of known causes in a row. A fault that
/// claims cannot describe has forms without end.
const FORMS_MAX: u32 = 8;

/// Looks for further causes of the bugs with the given ids, or of all. The exit code is
/// [`BUGS_SEEN`] if there is one.
pub(crate) fn run(target: &'static Target, ids: &[String]) -> i32 {
    let limits = match Limits::from_environment() {
        Ok(limits) => limits,
        Err(message) => return refuse(WRONG_USE, &message),
    };
    // Must happen before there is a second thread.
    let mut executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            let text = format!("cannot start a process that runs the target: {error}");
            return refuse(ENVIRONMENT, &text);
        }
    };
    signals::on_interrupt(INTERRUPTED, || {
        events::error("interrupted; the causes that were found so far are kept");
        process::leave(INTERRUPTED);
    });
    let store = match store::open(target, None) {
        Ok(store) => store,
        Err(error) => return refuse(ENVIRONMENT, &error.to_string()),
    };
    let ids = match wanted(&store, ids) {
        Ok(ids) => ids,
        Err(message) => return refuse(WRONG_USE, &message),
    };
    let mut found = false;
    for id in ids {
        let mut search = Search { executor: &mut executor, target, store: &store, limits };
        match search.all(id) {
            Ok(causes) => found |= causes > 0,
            Err(error) => return refuse(ENVIRONMENT, &error.to_string()),
        }
    }
    if found { BUGS_SEEN } else { NOTHING_FAILED }
}

/// The bugs that the user named, or all of the store.
fn wanted(store: &BugStore, named: &[String]) -> Result<Vec<BugId>, String> {
    let all = store.ids().map_err(|error| error.to_string())?;
    if named.is_empty() {
        return Ok(all);
    }
    let found = named.iter().map(|name| {
        let id = name.parse().map_err(|_| format!("{name} is not the id of a bug"))?;
        if all.contains(&id) {
            Ok(id)
        } else {
            Err(format!("the store {} has no bug {name}", report::shown(store.dir()).display()))
        }
    });
    found.collect()
}

/// A cause that was found and not minimized: its key, its report, its input, its reservation.
type Waiting = (String, Report, Vec<u8>, File);

/// Says that the store is full.
pub(super) const FULL: &str = "the store keeps no more causes of one bug";

/// Says that a search found nothing.
pub(super) fn nothing(causes: usize, runs: u64) -> String {
    let causes = report::counted(causes as u64, "cause");
    format!("{causes}; none of {runs} further runs fails in another way")
}

/// What one search for a cause came to.
pub(super) enum Step {
    /// A new cause: the key of its variant.
    Found(String),
    /// A further form of a known cause.
    Form,
    /// No further failure in this number of runs. `causes` are known.
    Nothing { causes: usize, runs: u64 },
    /// The failure that was found does not repeat, or another process has it.
    Lost,
    /// The store keeps no more causes of this bug.
    Full,
    /// The input of the bug does not fail any more.
    Gone,
}

/// Looks for causes of the bugs of a store.
pub(super) struct Search<'a> {
    pub(super) executor: &'a mut Isolated,
    pub(super) target: &'a Target,
    pub(super) store: &'a BugStore,
    pub(super) limits: Limits,
}

/// How many of the last steps of a search were alike.
#[derive(Default)]
struct InARow {
    lost: u32,
    forms: u32,
}

impl InARow {
    /// Why the search ends after this step. `None` if it goes on.
    fn end_after(&mut self, step: &Step) -> Option<String> {
        self.lost = if matches!(step, Step::Lost) { self.lost + 1 } else { 0 };
        self.forms = if matches!(step, Step::Form) { self.forms + 1 } else { 0 };
        match step {
            Step::Lost if self.lost == LOST_MAX => {
                Some("failures were found, but they do not repeat".to_owned())
            }
            Step::Form if self.forms == FORMS_MAX => {
                Some(format!("the last {FORMS_MAX} failures were further forms of known causes"))
            }
            Step::Found(_) | Step::Form | Step::Lost => None,
            Step::Full => Some(FULL.to_owned()),
            Step::Gone => Some("its input does not fail any more".to_owned()),
            Step::Nothing { causes, runs } => Some(nothing(*causes, *runs)),
        }
    }
}

/// Why there are no causes of a bug. `None` if there may be some.
pub(super) fn has_no_causes(stored: &Report) -> Option<&'static str> {
    match stored.status {
        Status::Pending => Some("it is not minimized yet; the next run minimizes it"),
        Status::Flaky => Some("it does not fail in every run"),
        _ if stored.only_when_fresh => Some("it fails only in new processes"),
        _ => None,
    }
}

impl Search<'_> {
    /// Looks for causes of a bug until a search finds none, or nothing but further forms. Returns
    /// how many it found.
    fn all(&mut self, id: BugId) -> Result<u64, StoreError> {
        if let Some(reason) = has_no_causes(&self.store.bug(id).read_report()?) {
            events::say(Event::Note, &format!("bug {id}: no causes, because {reason}"));
            return Ok(0);
        }
        let (mut causes, mut in_a_row) = (0, InARow::default());
        for seed in 0.. {
            let step = self.step(id, seed)?;
            causes += u64::from(matches!(step, Step::Found(_)));
            if matches!(step, Step::Form) {
                events::say(Event::Note, &format!("bug {id}: a further form of a known cause"));
            }
            if let Some(end) = in_a_row.end_after(&step) {
                events::say(Event::Note, &format!("bug {id}: {end}"));
                break;
            }
        }
        Ok(causes)
    }

    /// Looks for one further cause of a bug. Another seed finds other failures. Takes up a cause
    /// that an earlier search did not finish.
    pub(super) fn step(&mut self, id: BugId, seed: u64) -> Result<Step, StoreError> {
        let (entry, bug) = (Entry::from(id), self.store.bug(id));
        let stored = bug.read_report()?;
        if stored.explanation.is_none() {
            explain_entry(self.executor, self.store, (&entry, &bug, &stored))?;
        }
        let known = known::causes(self.executor, self.store, id, None)?;
        if known.is_empty() {
            return Ok(Step::Gone);
        }
        let causes = known.iter().filter(|known| known.is_reported()).count();
        let known: Vec<Cause> = known.into_iter().map(|known| known.cause).collect();
        if let Some((key, pending, input, _reserved)) = self.unfinished(id)? {
            return self.minimize(&Entry { id, variant: Some(key) }, &pending, &known, &input);
        }
        let limits = Limits { calls_max: RUNS_MAX.min(self.limits.calls_max), ..self.limits };
        let (found, runs) = unexplained(self.executor, &stored, &known, (limits, seed));
        let Some(found) = found else { return Ok(Step::Nothing { causes, runs }) };
        let input = encode(&found.choices);
        let key = cause_key(&input);
        let pending = Report { status: Status::Pending, explanation: None, ..stored };
        match self.store.claim_variant(id, &key, &input, &pending)? {
            Claim::New => {}
            Claim::Known => return Ok(Step::Lost),
            Claim::Full => return Ok(Step::Full),
        }
        self.minimize(&Entry { id, variant: Some(key) }, &pending, &known, &input)
    }

    /// A cause that was found and not minimized, unless another process minimizes it: its key,
    /// report and input. The file reserves it.
    fn unfinished(&self, id: BugId) -> Result<Option<Waiting>, StoreError> {
        let pending = self.store.pending_variants()?.into_iter();
        for (_, key) in pending.filter(|(of, key)| *of == id && is_cause_key(key)) {
            let bug = self.store.variant(id, &key);
            if let Some(reserved) = bug.reserve()? {
                let input = read_input(&bug.original()?)?;
                return Ok(Some((key, bug.read_report()?, input.to_vec(), reserved)));
            }
        }
        Ok(None)
    }

    /// Minimizes a new cause, explains it and says so.
    fn minimize(
        &mut self,
        entry: &Entry,
        pending: &Report,
        known: &[Cause],
        input: &[u8],
    ) -> Result<Step, StoreError> {
        let only = Only { call_path: None, outside: known };
        let reduced = reduce(self.executor, only, pending, input, self.limits, None);
        let Ok(mut minimized) = reduced else {
            let key = entry.variant.as_deref().unwrap_or_default();
            self.store.withdraw_cause(entry.id, key)?;
            return Ok(Step::Lost);
        };
        search_around(self.executor, only, self.limits, &mut minimized, &mut || false);
        let stored = report::minimized(pending, &minimized, self.executor.manifest_dir());
        let repro = report::repro(&self.target.name(), entry.id, &stored, &minimized.input);
        entry.finish(self.store, &minimized.input, &stored, Some(&repro))?;
        let bug = entry.bug(self.store);
        let is_kept = explain_entry(self.executor, self.store, (entry, &bug, &bug.read_report()?))?;
        let stored = if is_kept { bug.read_report()? } else { return Ok(Step::Form) };
        if stored.is_further_form() {
            return Ok(Step::Form);
        }
        let reproduce = report::reproduce(&self.target.name(), stored.kind, &bug.input());
        let text = format!("another cause of {}", report::text(&stored, bug.dir(), &reproduce));
        let event = MinimizedBug {
            variant: entry.variant.clone(),
            ..MinimizedBug::new(stored, bug.dir(), reproduce)
        };
        events::say(Event::Minimized(Box::new(event)), &text);
        Ok(Step::Found(entry.variant.clone().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ends_after_steps_of_one_kind_in_a_row() {
        let mut in_a_row = InARow::default();
        let mut ends = |step: &Step| in_a_row.end_after(step).is_some();
        for _ in 1..FORMS_MAX {
            assert!(!ends(&Step::Form));
        }
        // Another cause begins the count anew.
        assert!(!ends(&Step::Found(String::new())));
        for _ in 1..FORMS_MAX {
            assert!(!ends(&Step::Form));
        }
        assert!(ends(&Step::Form));
        for _ in 1..LOST_MAX {
            assert!(!ends(&Step::Lost));
        }
        assert!(ends(&Step::Lost));
        assert!(ends(&Step::Full));
    }
}

//! Looks for failures of known bugs that no known cause explains.

use dwindle_corpus::events::{Event, MinimizedBug};
use dwindle_corpus::{BugId, BugStore, Claim, Report, Status, StoreError, cause_key};
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

struct Search<'a> {
    executor: &'a mut Isolated,
    target: &'a Target,
    store: &'a BugStore,
    limits: Limits,
}

impl Search<'_> {
    /// Looks for causes of a bug until a search finds none. Returns how many it found.
    fn all(&mut self, id: BugId) -> Result<u64, StoreError> {
        let (entry, bug) = (Entry::from(id), self.store.bug(id));
        let stored = bug.read_report()?;
        let reason = match stored.status {
            Status::Pending => Some("it is not minimized yet; the next run minimizes it"),
            Status::Flaky => Some("it does not fail in every run"),
            _ if stored.only_when_fresh => Some("it fails only in new processes"),
            _ => None,
        };
        if let Some(reason) = reason {
            events::say(Event::Note, &format!("bug {id}: no causes, because {reason}"));
            return Ok(0);
        }
        if stored.explanation.is_none() {
            explain_entry(self.executor, self.store, (&entry, &bug, &stored))?;
        }
        let (mut causes, mut seed) = (0, 0);
        loop {
            let known = known::causes(self.executor, self.store, id, None)?;
            if known.is_empty() {
                events::say(Event::Note, &format!("bug {id}: its input does not fail any more"));
                return Ok(causes);
            }
            let count = known.iter().filter(|known| known.same_as.is_none()).count() as u64;
            let known: Vec<Cause> = known.into_iter().map(|known| known.cause).collect();
            let limits = Limits { calls_max: RUNS_MAX.min(self.limits.calls_max), ..self.limits };
            let (found, runs) = unexplained(self.executor, &stored, &known, (limits, seed));
            seed += 1;
            let Some(found) = found else {
                let text = format!(
                    "bug {id}: {}; none of {runs} further runs fails in another way",
                    report::counted(count, "cause")
                );
                events::say(Event::Note, &text);
                return Ok(causes);
            };
            let input = encode(&found.choices);
            let key = cause_key(&input);
            let pending = Report { status: Status::Pending, explanation: None, ..stored.clone() };
            if self.store.claim_variant(id, &key, &input, &pending)? != Claim::New {
                return Ok(causes);
            }
            self.minimize(&Entry { id, variant: Some(key.clone()) }, &pending, &known, &input)?;
            let is_new =
                |report: Report| report.status != Status::Pending && !report.is_further_form();
            causes += u64::from(self.store.variant(id, &key).read_report().is_ok_and(is_new));
        }
    }

    /// Minimizes a new cause, explains it and says so.
    fn minimize(
        &mut self,
        entry: &Entry,
        pending: &Report,
        known: &[Cause],
        input: &[u8],
    ) -> Result<(), StoreError> {
        let only = Only { call_path: None, outside: known };
        let reduced = reduce(self.executor, only, pending, input, self.limits, None);
        let Ok(mut minimized) = reduced else {
            let key = entry.variant.as_deref().unwrap_or_default();
            return self.store.withdraw_cause(entry.id, key);
        };
        search_around(self.executor, only, self.limits, &mut minimized, &mut || false);
        let stored = report::minimized(pending, &minimized, self.executor.manifest_dir());
        let repro = report::repro(&self.target.name(), entry.id, &stored, &minimized.input);
        entry.finish(self.store, &minimized.input, &stored, Some(&repro))?;
        let bug = entry.bug(self.store);
        explain_entry(self.executor, self.store, (entry, &bug, &bug.read_report()?))?;
        let stored = bug.read_report()?;
        if stored.is_further_form() {
            return Ok(());
        }
        let reproduce = report::reproduce(&self.target.name(), stored.kind, &bug.input());
        let text = format!("another cause of {}", report::text(&stored, bug.dir(), &reproduce));
        let event = MinimizedBug {
            variant: entry.variant.clone(),
            ..MinimizedBug::new(stored, bug.dir(), reproduce)
        };
        events::say(Event::Minimized(Box::new(event)), &text);
        Ok(())
    }
}

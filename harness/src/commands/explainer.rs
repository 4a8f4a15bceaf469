//! The explainer process. It explains one minimized bug of the store while the fuzzer runs, and
//! looks for another cause among inputs that failed as this bug.

use std::io::Read;
use std::time::{Duration, Instant};

use dwindle_corpus::{Bug, BugStore, Claim, Report, Status, StoreError, cause_key, read_input};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::explain::{Budget, Cause, Claims, next};

use crate::execution::{Executor, Runs};
use crate::exit::minimizer::STORE_FAILED;
use crate::explain::further_form::further_form;
use crate::explain::known::Known;
use crate::explain::{Minimal, explain, explained, known, stored as claims};
use crate::isolation::Isolated;
use crate::limits::Limits;
use crate::minimize::Only;
use crate::minimize::candidates::CandidateRunner;
use crate::minimize::clock::Clock;
use crate::minimize::reliability::Repeats;
use crate::session::entry::Entry;
use crate::session::report;
use crate::session::samples;
use crate::system::priority::{self, Work};
use crate::target::Target;
use crate::{environment, events};

/// How many further forms of causes the store keeps for one bug. It has room for twice as many
/// causes with forms.
const FORMS_MAX: usize = 32;
/// How many runs a search for another cause takes beside a fuzzer.
const SEARCH_RUNS: u64 = 10_000;

/// The whole life of an explainer process. A bug that it cannot explain stays as it is.
pub(crate) fn run(target: &'static Target) -> i32 {
    match explain_stored(target) {
        Ok(()) => 0,
        Err(message) => {
            events::error(&message);
            STORE_FAILED
        }
    }
}

fn explain_stored(target: &'static Target) -> Result<(), String> {
    let root = environment::store().ok_or("an explainer needs DWINDLE_STORE")?;
    let entry = Entry::of_this_process().ok_or("an explainer needs DWINDLE_BUG")?;
    let mut samples = Vec::new();
    std::io::stdin()
        .read_to_end(&mut samples)
        .map_err(|error| format!("cannot read the samples: {error}"))?;
    if environment::has_low_priority() {
        let is_of_a_bug = samples.is_empty() && entry.cause().is_none();
        priority::lower(if is_of_a_bug { Work::Bug } else { Work::Causes });
    }
    let store =
        BugStore::open_existing(&root, &target.name()).map_err(|error| error.to_string())?;
    let mut executor = Isolated::new(target, environment::choices_max())
        .map_err(|error| format!("cannot start a process that runs the target: {error}"))?;
    let bug = entry.bug(&store);
    if !bug.dir().is_dir() {
        // A cause that turned out to be known was removed.
        return Ok(());
    }
    let done = bug.read_report().and_then(|stored| {
        if stored.explanation.is_none()
            && !explain_entry(&mut executor, &store, (&entry, &bug, &stored))?
        {
            return Ok(());
        }
        look_for_cause(&mut executor, &store, (&entry, &stored), &samples::read(&samples))
    });
    done.map_err(|error| error.to_string())
}

/// Explains the input of an entry, and stores the explanation. For a cause, it also says which
/// known cause this is a further form of. Returns `false` if the entry is such a form, and was
/// removed because the store has [`FORMS_MAX`] of them for the bug.
pub(crate) fn explain_entry(
    executor: &mut Isolated,
    store: &BugStore,
    (entry, bug, stored): (&Entry, &Bug, &Report),
) -> Result<bool, StoreError> {
    let input = read_input(&bug.input())?;
    executor.allow_for(Runs::Again(stored.kind));
    let mut trace = Trace::default();
    let run = executor.run_input(&input, &mut trace);
    let Some(failed) = run.failure().filter(|failed| failed.is_of(stored)) else { return Ok(true) };
    let minimal = Minimal { input: &input, failed: &failed, only: Only::default() };
    let Some(mut explanation) = explain(executor, minimal, &mut || false) else { return Ok(true) };
    if let Some(key) = entry.cause() {
        let others = known::causes(executor, store, entry.id, Some(key))?;
        let claims = claims::read(&explanation.claims, &trace).unwrap_or_else(Claims::none);
        let mut own = Cause { minimized: trace, claims };
        let causes: Vec<Cause> = others.iter().map(|known| known.cause.clone()).collect();
        let bug = (stored.bug_id, stored.kind);
        if let Some(index) = further_form(executor, bug, &mut own, &causes) {
            if others.iter().filter(|other| other.same_as.is_some()).count() >= FORMS_MAX {
                store.withdraw_cause(entry.id, key)?;
                return Ok(false);
            }
            let Known { key, same_as, .. } = &others[index];
            explanation.same_as = Some(same_as.clone().unwrap_or_else(|| key.clone()));
            explanation.claims = claims::write(&own.claims);
        }
    }
    store.explain(bug, &input, explanation)?;
    Ok(true)
}

/// A failure of the bug that no known cause explains, and the number of runs that the search took.
pub(crate) fn unexplained(
    executor: &mut Isolated,
    stored: &Report,
    known: &[Cause],
    (limits, seed): (Limits, u64),
) -> (Option<Trace>, u64) {
    executor.allow_for(Runs::Candidates(stored.kind));
    let clock = Clock::start(limits, executor.time_elsewhere(), executor.waited_elsewhere());
    let id = (stored.bug_id, Only::default());
    let mut candidates = CandidateRunner::new(executor, id, Repeats::Always, &clock);
    let until = Instant::now() + limits.wall_max.max(Duration::from_secs(1));
    let mut stop = || clock.is_over() || Instant::now() >= until;
    let budget = Budget { runs_max: limits.calls_max, seed, stop: &mut stop };
    let origin = CandidateRunner::<Isolated>::ORIGIN;
    let found = next(known, origin, &mut candidates, environment::choices_max(), budget);
    executor.allow_for(Runs::Any);
    (found.found, found.runs)
}

/// Claims the simplest sample that no known cause of the bug explains, as a variant by cause. If
/// no sample is new, looks for such a failure without the samples.
pub(crate) fn look_for_cause(
    executor: &mut Isolated,
    store: &BugStore,
    (entry, stored): (&Entry, &Report),
    samples: &[&[u8]],
) -> Result<(), StoreError> {
    if samples.is_empty() || entry.variant.is_some() {
        return Ok(());
    }
    let known = known::causes(executor, store, entry.id, None)?;
    let causes: Vec<Cause> = known.into_iter().map(|known| known.cause).collect();
    let mut simplest: Option<(usize, &[u8], Report)> = None;
    for sample in samples {
        executor.allow_for(Runs::Fuzzing);
        let mut trace = Trace::default();
        let Some(failed) = executor.run_input(sample, &mut trace).failure() else { continue };
        let is_news = failed.is_of(stored)
            && !trace.is_empty()
            && !explained::is_explained(executor, (entry.id, stored.kind), &causes, &trace);
        if is_news && simplest.as_ref().is_none_or(|(choices, ..)| trace.len() < *choices) {
            let pending = report::pending(store.target(), &failed, sample, &stored.engine);
            simplest = Some((trace.len(), sample, Report { bug_id: entry.id, ..pending }));
        }
    }
    let found = if let Some((_, sample, pending)) = simplest {
        Some((sample.to_vec(), pending))
    } else {
        let seed = samples.iter().map(|sample| sample.len() as u64).sum();
        let limits = Limits { calls_max: SEARCH_RUNS, ..Limits::of_an_explanation() };
        let (found, _) = unexplained(executor, stored, &causes, (limits, seed));
        let pending = Report { status: Status::Pending, explanation: None, ..stored.clone() };
        found.map(|found| (encode(&found.choices), pending))
    };
    if let Some((input, pending)) = found {
        let claimed = store.claim_variant(entry.id, &cause_key(&input), &input, &pending)?;
        debug_assert!(matches!(claimed, Claim::New | Claim::Known | Claim::Full));
    }
    Ok(())
}

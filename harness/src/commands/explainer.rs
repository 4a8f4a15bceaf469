//! The explainer process. It explains one minimized bug of the store while the fuzzer runs, and
//! looks for another cause among inputs that failed as this bug.

use std::io::Read;

use dwindle_corpus::{Bug, BugStore, Claim, Report, StoreError, cause_key, read_input};
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::explain::{Cause, joined};

use crate::execution::{Executor, Runs};
use crate::exit::minimizer::STORE_FAILED;
use crate::explain::{Minimal, explain, known};
use crate::isolation::Isolated;
use crate::minimize::Only;
use crate::session::entry::Entry;
use crate::session::report;
use crate::session::samples;
use crate::system::priority;
use crate::target::Target;
use crate::{environment, events};

/// The whole life of an explainer process. A bug that it cannot explain stays as it is.
pub(crate) fn run(target: &'static Target) -> i32 {
    if environment::has_low_priority() {
        priority::lower();
    }
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
    let entry = environment::bug()
        .and_then(|entry| entry.parse::<Entry>().ok())
        .ok_or("an explainer needs DWINDLE_BUG")?;
    let mut samples = Vec::new();
    std::io::stdin()
        .read_to_end(&mut samples)
        .map_err(|error| format!("cannot read the samples: {error}"))?;
    let store =
        BugStore::open_existing(&root, &target.name()).map_err(|error| error.to_string())?;
    let mut executor = Isolated::new(target, environment::choices_max())
        .map_err(|error| format!("cannot start a process that runs the target: {error}"))?;
    let bug = entry.bug(&store);
    let done = bug.read_report().and_then(|stored| {
        if stored.explanation.is_none() {
            explain_entry(&mut executor, &store, (&entry, &bug, &stored))?;
        }
        look_for_cause(&mut executor, &store, (&entry, &stored), &samples::read(&samples))
    });
    done.map_err(|error| error.to_string())
}

/// Explains the input of an entry, and stores the explanation.
pub(crate) fn explain_entry(
    executor: &mut Isolated,
    store: &BugStore,
    (entry, bug, stored): (&Entry, &Bug, &Report),
) -> Result<(), StoreError> {
    let input = read_input(&bug.input())?;
    let others = match entry.cause() {
        Some(key) => known::causes(executor, store, entry.id, Some(key))?,
        None => Vec::new(),
    };
    let outside: Vec<Cause> = others.iter().map(|known| known.cause.clone()).collect();
    executor.allow_for(Runs::Again(stored.kind));
    let run = executor.run_input(&input, &mut Trace::default());
    let Some(failed) = run.failure().filter(|failed| failed.is_of(stored)) else { return Ok(()) };
    let only = Only { call_path: None, outside: &outside };
    let minimal = Minimal { input: &input, failed: &failed, only };
    let Some(explanation) = explain(executor, minimal, &mut || false) else { return Ok(()) };
    store.explain(bug, &input, explanation.clone())?;
    // Only now the claims can be compared with those of the others.
    let same = known::cause(executor, bug)
        .and_then(|own| others.iter().find(|other| joined(&own, &other.cause)));
    if let Some(same) = same {
        let same_as = Some(same.key.clone());
        store.explain(
            bug,
            &input,
            Box::new(dwindle_corpus::Explanation { same_as, ..*explanation }),
        )?;
    }
    Ok(())
}

/// Claims the simplest sample that no known cause of the bug explains, as a variant by cause.
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
    let mut simplest: Option<(usize, &[u8], Report)> = None;
    executor.allow_for(Runs::Fuzzing);
    for sample in samples {
        let mut trace = Trace::default();
        let Some(failed) = executor.run_input(sample, &mut trace).failure() else { continue };
        let is_news = failed.is_of(stored)
            && !trace.is_empty()
            && !known.iter().any(|known| known.cause.explains(&trace));
        if is_news && simplest.as_ref().is_none_or(|(choices, ..)| trace.len() < *choices) {
            let pending = report::pending(store.target(), &failed, sample, &stored.engine);
            simplest = Some((trace.len(), sample, Report { bug_id: entry.id, ..pending }));
        }
    }
    if let Some((_, sample, pending)) = simplest {
        let claimed = store.claim_variant(entry.id, &cause_key(sample), sample, &pending)?;
        debug_assert!(matches!(claimed, Claim::New | Claim::Known | Claim::Full));
    }
    Ok(())
}

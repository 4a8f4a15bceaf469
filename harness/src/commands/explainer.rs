//! The explainer process. It explains one minimized bug of the store while the fuzzer runs.

use dwindle_corpus::{BugStore, read_input};
use dwindle_engine::internals::Trace;

use crate::execution::{Executor, Runs};
use crate::exit::minimizer::STORE_FAILED;
use crate::explain::{Minimal, explain};
use crate::isolation::Isolated;
use crate::session::entry::Entry;
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
    let said = |error: dwindle_corpus::StoreError| error.to_string();
    let store = BugStore::open_existing(&root, &target.name()).map_err(said)?;
    let bug = entry.bug(&store);
    let (report, input) =
        (bug.read_report().map_err(said)?, read_input(&bug.input()).map_err(said)?);
    let mut executor = Isolated::new(target, environment::choices_max())
        .map_err(|error| format!("cannot start a process that runs the target: {error}"))?;
    executor.allow_for(Runs::Again(report.kind));
    let run = executor.run_input(&input, &mut Trace::default());
    let Some(failed) = run.failure().filter(|failed| failed.is_of(&report)) else { return Ok(()) };
    let minimal = Minimal { input: &input, failed: &failed, variant: None };
    if let Some(explanation) = explain(&mut executor, minimal, &mut || false) {
        store.explain(&bug, &input, explanation).map_err(said)?;
    }
    Ok(())
}

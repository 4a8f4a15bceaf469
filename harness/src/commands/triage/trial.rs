//! The trial of one content: it runs once, and then again in a process that ran nothing before.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dwindle_corpus::{BugId, BugKind, Rate};
use dwindle_engine::internals::Trace;

use crate::commands::triage::files::Item;
use crate::execution::{Executor, Run, Runs};
use crate::failure::failed::Failed;
use crate::failure::variants::Variants;
use crate::isolation::Isolated;
use crate::minimize::reliability;

/// The outcome of a trial.
#[derive(Debug)]
pub(crate) enum Trial {
    Failed {
        failed: Failed,
        /// The key of its call path.
        call_path: Option<String>,
        /// `None` if the number is unknown or unreliable.
        choices: Option<u64>,
        /// In how many runs it failed, if not in all.
        rate: Option<Rate>,
    },
    /// The content does not fail. The text says how it ended.
    Quiet(&'static str),
    /// The file can no longer be read. The text is the reason.
    Unread(String),
}

/// The bugs that are known to hang: those of the store, and those for which an executor waited.
#[derive(Debug, Default)]
pub(crate) struct Hangs(Mutex<BTreeSet<BugId>>);

impl Hangs {
    pub(crate) fn add(&self, id: BugId) {
        self.known().insert(id);
    }

    fn contains(&self, id: BugId) -> bool {
        self.known().contains(&id)
    }

    fn is_empty(&self) -> bool {
        self.known().is_empty()
    }

    fn known(&self) -> MutexGuard<'_, BTreeSet<BugId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Maximum time for extra runs of a content that did not fail. A triage has many files, so this is
/// shorter than for the one file of `min`.
const CHANCES_TIME: Duration = Duration::from_millis(200);

/// Runs a content. Its failure counts as reliable if two runs in a row agree on it, the second one
/// in a new process. So neither the state of earlier runs nor the order of contents matters.
pub(crate) fn run(
    executor: &mut Isolated,
    call_paths: &mut Variants,
    hangs: &Hangs,
    item: &Item,
) -> Trial {
    let input = match item.read() {
        Ok(input) => input,
        Err(reason) => return Trial::Unread(reason),
    };
    executor.want_frames(true);
    executor.narrow_stack(false);
    let mut trace = Trace::default();
    let first = match run_first(executor, &input, hangs, &mut trace) {
        // Timeouts and out-of-memory failures count as they were in the first run.
        Run::Failed(failed) if matches!(failed.kind, BugKind::Timeout | BugKind::Oom) => {
            return always(failed, &trace, call_paths);
        }
        first => first,
    };
    let second = run_fresh(executor, &input, &mut trace);
    match (first, second) {
        (Run::Misused(misuse), _) | (_, Run::Misused(misuse)) => misuse.leave(),
        (Run::Failed(first), Run::Failed(second)) if first.id == second.id => {
            always(second, &trace, call_paths)
        }
        // Earlier runs may have changed the result of the first run.
        (_, Run::Failed(second)) => match run_fresh(executor, &input, &mut trace) {
            Run::Failed(third) if third.id == second.id => always(third, &trace, call_paths),
            _ => sometimes(executor, &input, second, call_paths),
        },
        (Run::Failed(first), _) => sometimes(executor, &input, first, call_paths),
        (_, second) => {
            match reliability::chance_within(CHANCES_TIME, executor, &input, |_| true, &mut trace) {
                Some(failed) => sometimes(executor, &input, failed, call_paths),
                None => Trial::Quiet(second.in_words()),
            }
        }
    }
}

/// The first run. An input that hangs gets its full time, unless it hangs as a known bug. Full
/// seconds for each of many files would add up to hours.
fn run_first(executor: &mut Isolated, input: &[u8], hangs: &Hangs, trace: &mut Trace) -> Run {
    if !hangs.is_empty() {
        executor.allow_for(Runs::BesideHangs);
        let run = executor.run_input(input, trace);
        executor.allow_for(Runs::Any);
        let is_new_hang =
            |failed: &Failed| failed.kind == BugKind::Timeout && !hangs.contains(failed.id);
        if !matches!(&run, Run::Failed(failed) if is_new_hang(failed)) {
            return run;
        }
    }
    executor.allow_for(Runs::Any);
    let run = executor.run_input(input, trace);
    if let Run::Failed(failed) = &run
        && failed.kind == BugKind::Timeout
    {
        hangs.add(failed.id);
    }
    run
}

fn run_fresh(executor: &mut Isolated, input: &[u8], trace: &mut Trace) -> Run {
    executor.start_afresh();
    executor.run_input(input, trace)
}

fn always(failed: Failed, trace: &Trace, call_paths: &mut Variants) -> Trial {
    // If the target died without a record, its draws are unknown.
    let choices = (!trace.is_empty()).then_some(trace.len() as u64);
    Trial::Failed { call_path: call_paths.key(&failed), failed, choices, rate: None }
}

fn sometimes(
    executor: &mut Isolated,
    input: &[u8],
    failed: Failed,
    call_paths: &mut Variants,
) -> Trial {
    let rate = reliability::rate(executor, input, failed.id);
    Trial::Failed { call_path: call_paths.key(&failed), failed, choices: None, rate: Some(rate) }
}

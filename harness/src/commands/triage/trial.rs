//! What becomes of one content: it is run, and then once more in a process in which nothing ran before.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dwindle_corpus::{BugId, BugKind, Rate};
use dwindle_engine::Trace;

use crate::commands::triage::files::Item;
use crate::execution::{Executor, Run, Runs};
use crate::failure::failed::Failed;
use crate::failure::variants::Variants;
use crate::isolation::Isolated;
use crate::minimize::reliability;

/// What became of it.
#[derive(Debug)]
pub(crate) enum Trial {
    Failed {
        failed: Failed,
        /// The key of the way to it.
        way: Option<String>,
        /// `None` where it is not known, or not to be relied on.
        choices: Option<u64>,
        /// In how many runs it failed, if it did not in all.
        rate: Option<Rate>,
    },
    /// It does not fail: how it ended.
    Quiet(&'static str),
    /// The file cannot be read any more: why.
    Unread(String),
}

/// The bugs that are known to be runs without an end: those of the store, and those that some site has waited for.
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

/// For how long a content that did not fail is given other chances. Files are many, so that is less than for the one file of `min`.
const CHANCES_TIME: Duration = Duration::from_millis(200);

/// Runs a content. Its failure counts as one that always comes if two runs in a row agree on it, the second in a new process: so it matters neither what the
/// runs before it left behind nor in which order contents are run.
pub(crate) fn run(executor: &mut Isolated, ways: &mut Variants, hangs: &Hangs, item: &Item) -> Trial {
    let input = match item.read() {
        Ok(input) => input,
        Err(reason) => return Trial::Unread(reason),
    };
    executor.want_frames(true);
    executor.narrow_stack(false);
    let mut trace = Trace::default();
    let first = match run_first(executor, &input, hangs, &mut trace) {
        // What takes very long or all memory is taken for what it was the first time.
        Run::Failed(failed) if matches!(failed.kind, BugKind::Timeout | BugKind::Oom) => return always(failed, &trace, ways),
        first => first,
    };
    let second = run_fresh(executor, &input, &mut trace);
    match (first, second) {
        (Run::Misused(misuse), _) | (_, Run::Misused(misuse)) => misuse.leave(),
        (Run::Failed(first), Run::Failed(second)) if first.id == second.id => always(second, &trace, ways),
        // It may be that the runs before have changed what the first one came to.
        (_, Run::Failed(second)) => match run_fresh(executor, &input, &mut trace) {
            Run::Failed(third) if third.id == second.id => always(third, &trace, ways),
            _ => sometimes(executor, &input, second, ways),
        },
        (Run::Failed(first), _) => sometimes(executor, &input, first, ways),
        (_, second) => match reliability::chance_within(CHANCES_TIME, executor, &input, |_| true, &mut trace) {
            Some(failed) => sometimes(executor, &input, failed, ways),
            None => Trial::Quiet(second.in_words()),
        },
    }
}

/// A run that does not end is given its full time unless it is known to hang in that very place: seconds for each of many files would be hours.
fn run_first(executor: &mut Isolated, input: &[u8], hangs: &Hangs, trace: &mut Trace) -> Run {
    if !hangs.is_empty() {
        executor.allow_for(Runs::BesideHangs);
        let run = executor.run_input(input, trace);
        executor.allow_for(Runs::Any);
        if !matches!(&run, Run::Failed(failed) if failed.kind == BugKind::Timeout && !hangs.contains(failed.id)) {
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

fn always(failed: Failed, trace: &Trace, ways: &mut Variants) -> Trial {
    // What died without a word has left nothing of what it drew.
    let choices = (!trace.is_empty()).then_some(trace.len() as u64);
    Trial::Failed { way: ways.key(&failed), failed, choices, rate: None }
}

fn sometimes(executor: &mut Isolated, input: &[u8], failed: Failed, ways: &mut Variants) -> Trial {
    let rate = reliability::rate(executor, input, failed.id);
    Trial::Failed { way: ways.key(&failed), failed, choices: None, rate: Some(rate) }
}

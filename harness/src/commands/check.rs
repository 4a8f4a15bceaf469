//! Checks the store: replays every bug and reports its state. The store is not changed.

mod quiet;
mod output;

use std::path::PathBuf;

use dwindle_corpus::events::EndOfCheck;
use dwindle_corpus::{Bug, BugKind, BugStore, Report, Status, StoreError, read_input};
use dwindle_engine::internals::Trace;

use crate::execution::{Executor, Run, Runs};
use crate::exit::{BUGS_SEEN, ENVIRONMENT, INTERRUPTED, NOTHING_FAILED, refuse};
use crate::failure::failed::Failed;
use crate::isolation::Isolated;
use crate::minimize::reliability;
use crate::session::{signals, store};
use crate::system::process;
use crate::target::Target;
use crate::{environment, events};

/// Runs of an input: for a bug that failed reliably, and for a flaky bug.
const RUNS: u32 = 3;
const RUNS_OF_FLAKY: u32 = 20;

/// The state of a bug.
#[derive(Debug)]
enum BugVerdict {
    Fixed,
    Failing,
    /// It failed in some runs.
    Flaky,
    /// The same input fails, but as another bug.
    Changed(Failed),
    /// Nothing fails, but the input no longer means the same as when it failed.
    Stale(String),
    /// Nothing fails, but that does not prove a fix.
    Unseen(&'static str),
}

/// The results of the runs of one input.
#[derive(Debug, Default)]
struct RunCounts {
    runs: u32,
    /// Runs that failed as the bug.
    failures: u32,
    /// The last run that failed in another way.
    other: Option<Failed>,
    /// How the last passing run ended.
    quiet: Option<Run>,
}

/// One input of a bug, after its runs.
struct Replayed {
    file: PathBuf,
    tally: RunCounts,
    verdict: BugVerdict,
}

/// Replays every bug of the target and reports its state. The exit code is [`BUGS_SEEN`] if any bug
/// fails, in any way.
pub(crate) fn check(target: &'static Target) -> i32 {
    // Must happen before there is a second thread.
    let mut executor = match Isolated::new(target, environment::choices_max()) {
        Ok(executor) => executor,
        Err(error) => {
            return refuse(
                ENVIRONMENT,
                &format!("cannot start a process that runs the target: {error}"),
            );
        }
    };
    signals::on_interrupt(INTERRUPTED, || {
        events::error("interrupted; dwindle checked only the bugs listed above");
        process::leave(INTERRUPTED);
    });
    let checked = match store::open_existing(target) {
        Ok(store) => check_store(&mut executor, &store, target),
        Err(error) if error.is_missing() => Ok((EndOfCheck::default(), 0)),
        Err(error) => Err(error),
    };
    let (counts, damaged) = match checked {
        Ok(checked) => checked,
        Err(error) => return refuse(ENVIRONMENT, &error.to_string()),
    };
    let EndOfCheck { failing, flaky, changed, .. } = counts;
    output::end(EndOfCheck { target: target.name(), ..counts });
    if failing + flaky + changed > 0 {
        BUGS_SEEN
    } else if damaged > 0 {
        ENVIRONMENT
    } else {
        NOTHING_FAILED
    }
}

fn check_store(
    executor: &mut Isolated,
    store: &BugStore,
    target: &Target,
) -> Result<(EndOfCheck, usize), StoreError> {
    let damaged = store.damaged();
    for damage in &damaged {
        events::error(&damage.to_string());
    }
    let mut counts = EndOfCheck::default();
    for id in store.ids()? {
        let bug = store.bug(id);
        let report = bug.read_report()?;
        let replayed = check_bug(executor, store, &bug, &report)?;
        *number(&mut counts, &replayed.verdict) += 1;
        output::bug(store, target, &bug, &report, &replayed);
    }
    Ok((counts, damaged.len()))
}

/// Replays the inputs of a bug, up to the first one that shows it. If no input does, the first
/// input that fails in another way counts. If no input fails, the bug's `input` counts.
///
/// The original inputs come after the minimized input, then those of the variants. While one of
/// them fails, the bug still exists.
fn check_bug(
    executor: &mut Isolated,
    store: &BugStore,
    bug: &Bug,
    report: &Report,
) -> Result<Replayed, StoreError> {
    let mut files = vec![bug.input()];
    files.extend(bug.originals()?);
    for key in store.variants(bug.id())? {
        let variant = store.variant(bug.id(), &key);
        files.push(variant.input());
        files.extend(variant.originals()?);
    }
    let mut kept: Option<Replayed> = None;
    for file in files {
        let input = read_input(&file)?;
        let mut trace = Trace::default();
        let tally = replay(executor, report, &input, &mut trace);
        let verdict = if let Some(verdict) = tally.verdict() {
            verdict
        } else if file == bug.input() {
            quiet::verdict(executor, report, &input, &trace, &tally)
        } else {
            BugVerdict::Fixed
        };
        let replayed = Replayed { file, tally, verdict };
        let is_changed = |replayed: &Replayed| matches!(replayed.verdict, BugVerdict::Changed(_));
        if matches!(replayed.verdict, BugVerdict::Failing | BugVerdict::Flaky) {
            return Ok(replayed);
        }
        if kept.as_ref().is_none_or(|kept| is_changed(&replayed) && !is_changed(kept)) {
            kept = Some(replayed);
        }
    }
    Ok(kept.expect("a bug has an input"))
}

/// Runs an input several times. Each run has its own process, so that it sees no state of earlier
/// runs. For a flaky bug only every second run does, because the bug may need that state.
fn replay(executor: &mut Isolated, report: &Report, input: &[u8], trace: &mut Trace) -> RunCounts {
    let flaky = report.status == Status::Flaky;
    let slow = matches!(report.kind, BugKind::Timeout | BugKind::Oom);
    let mut tally = RunCounts::default();
    executor.narrow_stack(false);
    for run in 0..if flaky && !slow { RUNS_OF_FLAKY } else { RUNS } {
        if !flaky || run % 2 == 0 {
            executor.start_afresh();
        }
        executor.allow_for(Runs::Again(report.kind));
        tally.runs += 1;
        match executor.run_input(input, trace) {
            Run::Misused(misuse) => misuse.leave(),
            Run::Failed(failed) if failed.is_of(report) => tally.failures += 1,
            Run::Failed(failed) => tally.other = Some(failed),
            run => tally.quiet = Some(run),
        }
        // One run is enough if it takes seconds.
        if slow && tally.quiet.is_none() {
            break;
        }
    }
    let is_quiet = tally.failures == 0 && tally.other.is_none();
    if is_quiet
        && report.kind == BugKind::StackOverflow
        && reliability::at_the_edge(executor, input, |failed| failed.is_of(report), trace).is_some()
    {
        tally.failures = tally.runs;
    }
    tally
}

impl RunCounts {
    /// `None` if no run failed.
    fn verdict(&self) -> Option<BugVerdict> {
        match (self.failures, &self.other) {
            (0, None) => None,
            (0, Some(other)) => Some(BugVerdict::Changed(other.clone())),
            (failures, _) if failures == self.runs => Some(BugVerdict::Failing),
            _ => Some(BugVerdict::Flaky),
        }
    }
}

/// The number that counts the bugs of a verdict.
fn number<'a>(counts: &'a mut EndOfCheck, verdict: &BugVerdict) -> &'a mut u64 {
    match verdict {
        BugVerdict::Fixed => &mut counts.fixed,
        BugVerdict::Failing => &mut counts.failing,
        BugVerdict::Flaky => &mut counts.flaky,
        BugVerdict::Changed(_) => &mut counts.changed,
        BugVerdict::Stale(_) => &mut counts.stale,
        BugVerdict::Unseen(_) => &mut counts.unseen,
    }
}

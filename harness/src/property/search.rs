//! Finds all distinct failures of a property: in the store, in random cases, and during other
//! minimizations.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use dwindle_corpus::{BugId, BugStore, Report, Status, read_input};
use dwindle_engine::TestCase;
use dwindle_engine::internals::Trace;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::explain::Cause;

use super::health::{CaseCounts, Unhealthy, flakiness};
use crate::check::{Failure, failure, keep, name};
use crate::environment;
use crate::execution::{Executor, InProcess, Run};
use crate::explain::explain_minimized;
use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::limits::Limits;
use crate::minimize::{Found, Only, minimize};
use crate::report::shown;
use crate::settings::HealthCheck;
use crate::settings::Settings;

/// Maximum failures that one run reports.
const FAILURES_MAX: usize = 10;
/// Minimum number of further cases after a failure, if there are as many, and the maximum time for
/// them.
const MORE_CASES_MIN: u64 = 100;
const MORE_TIME_MAX: Duration = Duration::from_secs(1);
/// Maximum cases that are kept to tell causes apart.
const SAMPLES_MAX: usize = 64;
/// Maximum runs for each case that is wanted.
const RUNS_EACH: u64 = 10;

/// The result of a run.
pub(super) struct Search {
    pub(super) failures: Vec<Shrunk>,
    /// The health check that a run without failures fails.
    pub(super) unhealthy: Option<Unhealthy>,
    /// A wrong use in the test itself. The other results are then meaningless.
    pub(super) misused: Option<Misuse>,
    /// Lines to print that do not fail the test.
    pub(super) asides: Vec<String>,
}

/// A failure to report.
pub(super) struct Shrunk {
    pub(super) failure: Failure,
    /// The random case that showed it first, if one did.
    pub(super) case: Option<u64>,
    /// Whether the store had it before.
    pub(super) is_known: bool,
    /// Whether an earlier failure of the run has the same bug, with another cause.
    pub(super) is_another_cause: bool,
    /// The folder that keeps it, or the error that prevented this. `None` if there is no store.
    pub(super) kept: Option<Result<PathBuf, String>>,
}

/// A failure that is not minimized yet.
pub(super) struct Pending {
    pub(super) failed: Failed,
    pub(super) input: Vec<u8>,
    pub(super) trace: Trace,
    pub(super) case: Option<u64>,
    pub(super) calls: u64,
    /// The bug of the store that has this input.
    pub(super) stored: Option<(BugId, Report)>,
    /// The key of the variant by cause that has this input.
    pub(super) cause_key: Option<String>,
}

pub(super) struct Hunt<'a, P> {
    pub(super) executor: &'a mut InProcess<P>,
    pub(super) settings: &'a Settings,
    pub(super) calls: u64,
    pub(super) seen: Vec<BugId>,
    pub(super) pending: VecDeque<Pending>,
    /// Other cases that failed as a seen bug. Some of them may have another cause.
    pub(super) samples: Vec<Pending>,
    /// The known causes of each bug.
    pub(super) causes: Vec<(BugId, Cause)>,
    pub(super) asides: Vec<String>,
    pub(super) misused: Option<Misuse>,
}

/// Replays the store, and runs random cases if nothing fails there. Then minimizes each failure
/// separately.
pub(super) fn search<P: FnMut(&mut TestCase)>(
    executor: &mut InProcess<P>,
    settings: &Settings,
    seed: u64,
) -> Search {
    let mut hunt = Hunt {
        executor,
        settings,
        calls: 0,
        seen: Vec::new(),
        pending: VecDeque::new(),
        samples: Vec::new(),
        causes: Vec::new(),
        asides: Vec::new(),
        misused: None,
    };
    hunt.replay_store();
    let unhealthy =
        if hunt.pending.is_empty() && hunt.misused.is_none() { hunt.run_cases(seed) } else { None };
    let failures = if hunt.misused.is_none() { hunt.minimize_all() } else { Vec::new() };
    Search { failures, unhealthy, misused: hunt.misused, asides: hunt.asides }
}

impl<P: FnMut(&mut TestCase)> Hunt<'_, P> {
    fn replay_store(&mut self) {
        let Some(root) = &self.settings.store else { return };
        let Ok(store) = BugStore::open_existing(root, &name(self.settings)) else { return };
        for id in store.ids().unwrap_or_default() {
            let bug = store.bug(id);
            let input = match read_input(&bug.input()) {
                Ok(input) => input.to_vec(),
                Err(error) => {
                    self.asides.push(format!("cannot replay bug {id}: {error}"));
                    continue;
                }
            };
            let report = bug.read_report().ok();
            let place = report
                .as_ref()
                .and_then(|report| report.location.clone())
                .unwrap_or_else(|| "an unknown place".to_owned());
            let mut trace = Trace::default();
            self.calls += 1;
            let what = match self.executor.run_input(&input, &mut trace) {
                Run::Failed(failed) => {
                    self.saw(failed, input, trace, None, report.map(|report| (id, report)));
                    self.replay_causes(&store, id);
                    continue;
                }
                Run::Misused(misuse) => {
                    self.misused = Some(misuse);
                    return;
                }
                Run::Passed => "does not fail any more",
                Run::Rejected | Run::Overrun => "has an input that the property now rejects",
            };
            self.asides.push(format!(
                "the bug {id} at {place} {what}; to forget it, remove {}",
                shown(bug.dir()).display()
            ));
        }
    }

    /// Runs random cases. After a failure it runs the number of further cases that the macro's
    /// documentation states. Returns the health check that a run without failures fails.
    fn run_cases(&mut self, seed: u64) -> Option<Unhealthy> {
        let cases = self.settings.max_cases;
        let mut tally = CaseCounts::new(self.settings);
        let mut trace = Trace::default();
        let mut explorer = self.settings.explorer(seed);
        let (mut case, mut until) = (0, cases.saturating_mul(RUNS_EACH));
        let mut deadline: Option<Instant> = None;
        while tally.accepted < cases
            && case < until
            && self.seen.len() < FAILURES_MAX
            && deadline.is_none_or(|deadline| Instant::now() < deadline)
        {
            case += 1;
            self.calls += 1;
            match self.executor.run_random(&mut explorer, case) {
                Run::Passed => {
                    tally.accepted += 1;
                    if tally.accepted.is_power_of_two()
                        && deadline.is_none()
                        && tally.is_enabled(HealthCheck::Flaky)
                    {
                        self.executor.driver.swap_trace(&mut trace);
                        if let Some(unhealthy) = flakiness(self.executor, &trace) {
                            return Some(unhealthy);
                        }
                    }
                }
                Run::Rejected => tally.rejected(self.executor.driver.rejection()),
                Run::Overrun => tally.overran += 1,
                Run::Misused(misuse) => {
                    self.misused = Some(misuse);
                    return None;
                }
                Run::Failed(failed) => {
                    tally.accepted += 1;
                    self.executor.driver.swap_trace(&mut trace);
                    if self.saw(
                        failed,
                        encode(&trace.choices),
                        std::mem::take(&mut trace),
                        Some(case),
                        None,
                    ) {
                        until = until.min((2 * case).max(case + MORE_CASES_MIN));
                        deadline.get_or_insert_with(|| Instant::now() + MORE_TIME_MAX);
                    }
                }
            }
            if deadline.is_none()
                && let Some(unhealthy) = tally.judge()
            {
                return Some(unhealthy);
            }
        }
        if self.seen.is_empty() { self.judge_all(&tally) } else { None }
    }

    fn judge_all(&mut self, tally: &CaseCounts<'_>) -> Option<Unhealthy> {
        let unhealthy = tally.judge_all();
        if unhealthy.is_none() && tally.accepted < self.settings.max_cases {
            self.asides.push(format!(
                "only {} of {} cases were accepted",
                tally.accepted, self.settings.max_cases
            ));
        }
        unhealthy
    }

    /// Records a failure if it is the first of its bug.
    fn saw(
        &mut self,
        failed: Failed,
        input: Vec<u8>,
        trace: Trace,
        case: Option<u64>,
        stored: Option<(BugId, Report)>,
    ) -> bool {
        let is_seen = self.seen.contains(&failed.id);
        let is_new = !is_seen && self.seen.len() < FAILURES_MAX;
        let id = failed.id;
        let calls = self.calls;
        let pending = Pending { failed, input, trace, case, calls, stored, cause_key: None };
        if is_new {
            self.seen.push(id);
            self.pending.push_back(pending);
        } else if is_seen && self.explains() && self.samples.len() < SAMPLES_MAX {
            self.samples.push(pending);
        }
        is_new
    }

    /// Whether the run explains failures. Explanations separate their causes.
    pub(super) fn explains(&self) -> bool {
        self.settings.explains && environment::explains()
    }

    /// Minimizes the recorded failures, and those that the minimizations hit. Then those with other
    /// causes. The first failure may
    /// use the whole time limit. All others together get the same time again.
    fn minimize_all(&mut self) -> Vec<Shrunk> {
        let mut shrunk = Vec::new();
        let mut left = self.settings.time_max;
        while shrunk.len() < FAILURES_MAX
            && let Some(pending) = self.pending.pop_front().or_else(|| self.unexplained())
        {
            let is_first = shrunk.is_empty();
            let began = Instant::now();
            let time_max = if is_first { self.settings.time_max } else { left };
            shrunk.extend(self.minimize(pending, time_max));
            if !is_first {
                left = left.saturating_sub(began.elapsed());
            }
        }
        shrunk
    }

    /// `None` if the failure has a known cause after all.
    fn minimize(&mut self, pending: Pending, time_max: Duration) -> Option<Shrunk> {
        let Pending { failed, input, trace, case, calls, stored, cause_key } = pending;
        let outside = self.causes_of(failed.id);
        let only = Only { call_path: None, outside: &outside };
        // An input that was minimized before only has to fail again. No calls are spent to shrink
        // it.
        let is_minimized =
            |(id, report): &(BugId, Report)| *id == failed.id && report.status == Status::Minimized;
        let minimized_before =
            stored.as_ref().filter(|stored| is_minimized(stored)).map(|(_, report)| report);
        let calls_max = if minimized_before.is_some() { 0 } else { self.settings.calls_max };
        let limits = Limits {
            calls_max,
            exhaust_max: self.settings.exhaust_max,
            time_max,
            wall_max: time_max,
        };
        let mut minimized = minimize(
            self.executor,
            Found { input: &input, trace: &trace, failed: &failed, only },
            limits,
            &mut |_, _| {},
        );
        if let Some(report) = minimized_before
            && minimized.status != Status::Flaky
        {
            (minimized.status, minimized.no_smaller_among) =
                (Status::Minimized, report.no_smaller_among);
        }
        if let Some(report) = minimized_before {
            minimized.explanation = report.explanation.clone().filter(|_| minimized.input == input);
        }
        if minimized.explanation.is_none() && self.explains() {
            explain_minimized(self.executor, only, &mut minimized);
        }
        if !self.is_a_new_cause(failed.id, (&input, &trace), &minimized) {
            return None;
        }
        let is_another_cause = !outside.is_empty();
        self.calls += minimized.calls + minimized.calls_to_confirm;
        for other in std::mem::take(&mut minimized.others) {
            let mut trace = Trace::default();
            self.calls += 1;
            if let Run::Failed(failed) = self.executor.run_input(&other, &mut trace) {
                self.saw(failed, other, trace, None, None);
            }
        }
        // The same input may have a new id, because lines were added above the place. The store
        // still has it under the old id.
        let known_as = stored
            .as_ref()
            .filter(|(id, _)| *id == failed.id || minimized.input == input)
            .map(|(id, _)| *id);
        let new_key = || is_another_cause.then(|| dwindle_corpus::cause_key(&input));
        let cause_key = cause_key.or_else(new_key);
        let kept = self.settings.store.as_ref().map(|root| {
            let is_kept = known_as.is_some_and(|id| id != failed.id || minimized_before.is_some());
            let input = (!is_kept).then_some(&*input);
            let id = known_as.unwrap_or(failed.id);
            let manifest_dir = self.executor.manifest_dir();
            keep(root, self.settings, (id, cause_key.as_deref()), input, &minimized, manifest_dir)
        });
        let is_known = known_as.is_some();
        let failure = failure(calls, minimized);
        Some(Shrunk { failure, case, is_known, is_another_cause, kept })
    }
}

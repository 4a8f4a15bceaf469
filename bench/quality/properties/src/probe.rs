//! Counting: the same for every tool, whatever it counts itself.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::property::{Property, Verdict};

/// What one shrink came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measure {
    /// The size of the first failing value.
    pub start_size: usize,
    /// Choices of the first failing execution, in a tool that says so.
    pub start_choices: Option<usize>,
    /// Executions after the first failing one, those that the tool ended half-way included.
    pub calls: u64,
    /// The part of them the tool says it spent on proving that nothing smaller fails.
    pub calls_to_exhaust: u64,
    /// The value it ended at.
    pub value: String,
    /// Its size.
    pub size: usize,
    /// Time from the first failure to the end, without what the property itself took, for each
    /// call.
    pub outside_nanos: f64,
}

struct Probe {
    calls: u64,
    first: Option<First>,
    last: Option<Case>,
    inside: Duration,
}

struct First {
    at: Instant,
    size: usize,
    choices: Option<usize>,
}

static PROBE: Mutex<Probe> =
    Mutex::new(Probe { calls: 0, first: None, last: None, inside: Duration::ZERO });

fn probe() -> MutexGuard<'static, Probe> {
    PROBE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forgets what was counted.
pub fn start() {
    *probe() = Probe { calls: 0, first: None, last: None, inside: Duration::ZERO };
}

/// Counts one execution. To be called before anything is drawn.
pub fn enter() {
    let mut probe = probe();
    if probe.first.is_some() {
        probe.calls += 1;
    }
}

/// Judges, and keeps a failing value as the last one.
#[must_use]
pub fn judge(property: Property, case: &Case) -> Verdict {
    judge_of_choices(property, case, None)
}

/// The same where the tool tells how many choices the value took.
#[must_use]
pub fn judge_of_choices(property: Property, case: &Case, choices: Option<usize>) -> Verdict {
    let start = Instant::now();
    let verdict = property.judge(case);
    let mut probe = probe();
    if verdict == Verdict::Fails {
        probe.last = Some(case.clone());
        if probe.first.is_none() {
            probe.first = Some(First { at: Instant::now(), size: case.size(), choices });
            return verdict;
        }
    }
    if probe.first.is_some() {
        probe.inside += start.elapsed();
    }
    verdict
}

/// What was counted since the start; `None` if nothing failed. The value it ended at is `value`, or
/// else the last one that failed.
#[must_use]
pub fn end(value: Option<&Case>) -> Option<Measure> {
    let probe = probe();
    let first = probe.first.as_ref()?;
    let value = value.or(probe.last.as_ref())?;
    let outside = first.at.elapsed().saturating_sub(probe.inside);
    Some(Measure {
        start_size: first.size,
        start_choices: first.choices,
        calls: probe.calls,
        calls_to_exhaust: 0,
        value: value.to_string(),
        size: value.size(),
        outside_nanos: outside.as_secs_f64() * 1e9 / probe.calls.max(1) as f64,
    })
}

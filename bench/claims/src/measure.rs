//! Shrinks failures of a property, claims something of each, and judges the claims.

use dwindle_engine::TestCase;
use dwindle_engine::internals::explain::{
    Budget, Claim, Claims, Ending, Fresh, Place, RUNS, Says, explain,
};
use dwindle_engine::internals::shrink::{self, CAPPED, Candidate, Runner, shrink};
use dwindle_engine::internals::{Driver, Origin, Outcome, Trace, execute};

use crate::property::Property;

const FAILED: Origin = Origin(1);
const CHOICES_MAX: usize = 4000;
/// Random cases that a search for one failure may take.
const CASES_MAX: u64 = 2_000_000;
/// Random cases that the search for independent failures may take.
const OTHER_CASES_MAX: u64 = 100_000;
/// Independent failures that are looked for.
const OTHERS_MAX: usize = 200;

/// What became of one failure.
pub struct Judged {
    /// The minimized choices.
    pub minimized: String,
    /// The claims as lines.
    pub lines: Vec<String>,
    /// Whether the claims free anything.
    pub is_wider: bool,
    /// Fresh inputs of the class that failed, and all that the target judged.
    pub fresh: (u64, u64),
    /// Fresh draws that came to no input of the class, or to one that was rejected.
    pub unjudged: u64,
    /// Independent failures that the class covers, and all.
    pub covered: (usize, usize),
    /// Runs that the claims took.
    pub runs: u64,
    /// Traps that were called free.
    pub caught: Vec<String>,
    /// Whether a nearest passing input was found.
    pub has_passing: bool,
    /// Whether the budget cut the search.
    pub was_cut: bool,
}

struct InProcess {
    holds: fn(&mut TestCase) -> bool,
    tc: Driver,
}

impl InProcess {
    fn outcome(&mut self) -> Outcome {
        let mut holds = true;
        let ended = execute(&mut self.tc, |tc| holds = (self.holds)(tc));
        match ended.or_unwind() {
            Err(halt) => halt.into(),
            Ok(()) if holds => Outcome::Passed,
            Ok(()) => Outcome::Failed(FAILED),
        }
    }

    /// Random failures of these seeds, at most `count`.
    fn failures(&mut self, seeds: impl Iterator<Item = u64>, count: usize) -> Vec<Trace> {
        let mut found = Vec::new();
        for seed in seeds {
            if found.len() == count {
                break;
            }
            self.tc.start_random(seed, CHOICES_MAX);
            if self.outcome() == Outcome::Failed(FAILED) {
                found.push(self.tc.trace().clone());
            }
        }
        found
    }
}

impl Runner for InProcess {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.tc.start_candidate(candidate, choices_max);
        let outcome = self.outcome();
        self.tc.swap_trace(trace);
        outcome
    }
}

/// Finds a failure from this seed, shrinks it, and judges what is claimed of it on `inputs` fresh
/// inputs. `None` if no failure is found.
pub fn judge(property: &Property, seed: u64, inputs: u64) -> Option<Judged> {
    let mut runner = InProcess { holds: property.holds, tc: Driver::new() };
    let first = seed << 32;
    let start = runner.failures(first..first + CASES_MAX, 1).pop()?;
    let budget = shrink::Budget {
        calls_max: 100_000,
        exhaust_max: CAPPED,
        around: None,
        stop: &mut || false,
    };
    let minimized = shrink(&start, FAILED, &mut runner, budget, &mut |_, _| {}).best;
    let budget = Budget { runs_max: RUNS, seed, stop: &mut || false };
    let claims = explain(&minimized, FAILED, &mut runner, budget);

    let (fresh, unjudged) = fresh(&mut runner, &claims, &minimized, (seed, inputs));
    let other = (seed + 1000) << 32;
    let others = runner.failures(other..other + OTHER_CASES_MAX, OTHERS_MAX);
    let covered = others.iter().filter(|trace| claims.covers(&minimized, trace)).count();
    let values: Vec<String> = minimized.choices.iter().map(ToString::to_string).collect();
    Some(Judged {
        minimized: format!("[{}]", values.join(", ")),
        lines: claims.lines(&minimized, &|place| name(&minimized, place), 40),
        is_wider: claims.claims.iter().any(Claim::is_universal),
        fresh,
        unjudged,
        covered: (covered, others.len()),
        runs: claims.runs,
        caught: caught(property, &claims, &minimized),
        has_passing: claims.passing.is_some(),
        was_cut: claims.ending == Ending::Budget,
    })
}

fn fresh(
    runner: &mut InProcess,
    claims: &Claims,
    minimized: &Trace,
    (seed, inputs): (u64, u64),
) -> ((u64, u64), u64) {
    let mut own = InProcess { holds: runner.holds, tc: Driver::new() };
    let mut never = || false;
    let mut source = Fresh::new(claims, minimized, &mut own, !seed, &mut never);
    let (mut failed, mut judged, mut unjudged) = (0, 0, 0);
    let mut trace = Trace::default();
    while judged < inputs && unjudged < 4 * inputs {
        let Some(values) = source.draw() else {
            unjudged += 1;
            continue;
        };
        let outcome = runner.run(Candidate::replaying(&values), CHOICES_MAX, &mut trace);
        let is_judged = !matches!(outcome, Outcome::Rejected | Outcome::Overrun);
        if is_judged && claims.covers(minimized, &trace) {
            judged += 1;
            failed += u64::from(outcome == Outcome::Failed(FAILED));
        } else {
            unjudged += 1;
        }
    }
    ((failed, judged), unjudged)
}

/// Draws of the target, counted from 0.
fn draws(minimized: &Trace) -> Vec<std::ops::Range<usize>> {
    let outermost = minimized.spans.iter().filter(|span| span.parent.is_none());
    outermost.map(dwindle_engine::internals::Span::range).collect()
}

/// The traps of which all draws are called free.
fn caught(property: &Property, claims: &Claims, minimized: &Trace) -> Vec<String> {
    let mut is_free = vec![false; minimized.len()];
    for claim in claims.claims.iter().filter(|claim| claim.says == Says::Any) {
        match claim.place {
            Place::Span(span) => is_free[minimized.spans[span].range()].fill(true),
            Place::Choice(at) => is_free[at] = true,
        }
    }
    let draws = draws(minimized);
    let free = |draw: &usize| {
        let range = draws.get(*draw).cloned().unwrap_or(0..0);
        !range.is_empty() && is_free[range].iter().all(|free| *free)
    };
    let caught = property.traps.iter().filter(|draws| draws.iter().all(free));
    caught.map(|draws| format!("{draws:?}")).collect()
}

/// The name of a place: the draw that it is part of, and its number there.
fn name(minimized: &Trace, place: Place) -> String {
    let range = match place {
        Place::Span(span) => minimized.spans[span].range(),
        Place::Choice(at) => at..at + 1,
    };
    let draws = draws(minimized);
    let around = draws
        .iter()
        .position(|draw| draw.start <= range.start && range.end <= draw.end)
        .unwrap_or(draws.len());
    let inside = range.start - draws.get(around).map_or(0, |draw| draw.start);
    let kind = if matches!(place, Place::Span(_)) { "span" } else { "choice" };
    format!("draw {around}, {kind} {inside}")
}

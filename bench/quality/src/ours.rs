//! Shrinks by dwindle, counted by the same probe as those of the peers.

use anyhow::{Result, ensure};
use dwindle::{Settings, TestCase};
use dwindle_engine::internals::shrink::{Budget, CAPPED, Candidate, Runner, Shrunk, shrink};
use dwindle_engine::internals::{Driver, Origin, Outcome, Trace, execute};
use quality_properties::probe::{self, Measure};
use quality_properties::{Property, Verdict};

use crate::generators::draw;

/// Finds a failure and shrinks it, as a user does; `None` if nothing fails.
///
/// # Errors
/// If dwindle counts other calls than were made.
pub fn from_seed(property: Property, seed: u64) -> Result<Option<Measure>> {
    probe::start();
    let settings = Settings::default().seed(seed).max_cases(100_000).exhaust(CAPPED).store(None);
    let result = dwindle::check(settings, |tc| match run(property, tc) {
        Verdict::Passes => {}
        Verdict::Invalid => tc.reject(),
        Verdict::Fails => panic!("fails"),
    });
    let (Err(failure), Some(mut measure)) = (result, probe::end(None)) else { return Ok(None) };
    let told = failure.calls_to_shrink;
    ensure!(
        told == measure.calls,
        "dwindle tells of {told} calls for {} from seed {seed}, but it made {}",
        property.name(),
        measure.calls
    );
    measure.calls_to_exhaust = failure.calls_to_exhaust;
    Ok(Some(measure))
}

/// The largest by choices of ten failures found at random, and its value; `None` if there are none.
pub fn largest(property: Property, seed: u64) -> Option<(Trace, String)> {
    const FAILURES: usize = 10;
    const CASES_MAX: u64 = 3_000_000;
    let mut runner = InProcess::new(property);
    let mut largest: Option<(Trace, String)> = None;
    let mut failures = 0;
    for case in 0..CASES_MAX {
        probe::start();
        runner.tc.start_random(
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(case),
            dwindle_engine::internals::CHOICES_MAX,
        );
        if !matches!(runner.outcome(), Outcome::Failed(_)) {
            continue;
        }
        failures += 1;
        let trace = runner.tc.trace();
        if largest.as_ref().is_none_or(|(largest, _)| largest.len() < trace.len()) {
            largest = Some((trace.clone(), probe::end(None)?.value));
        }
        if failures == FAILURES {
            break;
        }
    }
    largest
}

/// Shrinks from a trace that fails.
pub fn from_trace(property: Property, start: &Trace) -> Option<Measure> {
    probe::start();
    let mut runner = InProcess::new(property);
    // This run is the first failure, from which on calls count.
    runner.run(Candidate::replaying(&start.values()), start.len(), &mut Trace::default());
    let shrunk = shrink_with(start, &mut runner, 100_000);
    let measure = probe::end(None)?;
    assert_eq!(shrunk.calls, measure.calls, "dwindle counts other calls than it makes");
    probe::start();
    runner.run(
        Candidate::replaying(&shrunk.best.values()),
        shrunk.best.len(),
        &mut Trace::default(),
    );
    let best = probe::end(None)?;
    Some(Measure {
        calls_to_exhaust: shrunk.calls_to_exhaust,
        value: best.value,
        size: best.size,
        ..measure
    })
}

/// Shrinks within a number of calls.
pub fn shrink_with(start: &Trace, runner: &mut dyn Runner, calls_max: u64) -> Shrunk {
    shrink(
        start,
        FAILED,
        runner,
        Budget { calls_max, exhaust_max: CAPPED, around: None, stop: &mut || false },
        &mut |_, _| {},
    )
}

/// The one way in which properties fail here.
pub const FAILED: Origin = Origin(1);

fn run(property: Property, tc: &mut TestCase) -> Verdict {
    probe::enter();
    let case = draw(property, tc);
    let choices = Driver::trace_of(tc).len();
    probe::judge_of_choices(property, &case, Some(choices))
}

struct InProcess {
    property: Property,
    tc: Driver,
}

impl InProcess {
    fn new(property: Property) -> InProcess {
        InProcess { property, tc: Driver::new() }
    }

    fn outcome(&mut self) -> Outcome {
        let mut verdict = Verdict::Passes;
        let ended = execute(&mut self.tc, |tc| verdict = run(self.property, tc));
        ended.or_unwind().map_or_else(Outcome::from, |()| match verdict {
            Verdict::Passes => Outcome::Passed,
            Verdict::Invalid => Outcome::Rejected,
            Verdict::Fails => Outcome::Failed(FAILED),
        })
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

//! dwindle, on the choices of a generator or on the bytes of a target written for libFuzzer.

use std::time::{Duration, Instant};

use anyhow::Result;
use dwindle_engine::internals::shrink::{
    AROUND, Around, Budget, CAPPED, Candidate, Finish, Runner, THOROUGH, shrink,
};
use dwindle_engine::internals::{Driver, Origin, Outcome, Trace, execute};

use super::Reduced;
use crate::counted::{Counted, process_time};
use crate::oracle::Oracle;
use crate::start::{Start, Subject};

/// All failures are one: the oracle only says that the versions disagree.
const FAILED: Origin = Origin(1);

/// The processor time around the result that a minimizer takes.
const AROUND_TIME: Duration = Duration::from_millis(500);

/// Reduces with the budget of a minimizer, times `patience` around the result.
pub(super) fn reduce(start: Start, patience: u32, limit: Duration) -> Result<Reduced> {
    let trace = start.trace();
    let oracle = Counted::new(Oracle::new(start.subject.right())?);
    let course = Vec::new();
    let mut target = Target { subject: start.subject, driver: Driver::new(), oracle, course };
    let (began, began_wall) = (process_time(), Instant::now());
    let mut began_around = None;
    let mut stop_around = || {
        let now = process_time();
        now.saturating_sub(*began_around.get_or_insert(now)) > AROUND_TIME * patience
    };
    let budget = Budget {
        calls_max: u64::MAX,
        exhaust_max: if trace.raw_input().is_some() { THOROUGH } else { CAPPED },
        around: Some(Around { calls_max: AROUND * u64::from(patience), stop: &mut stop_around }),
        stop: &mut || began_wall.elapsed() > limit,
    };
    let shrunk = shrink(&trace, FAILED, &mut target, budget, &mut |_, _| {});
    let time = process_time().saturating_sub(began);
    target.driver.start_replay(&shrunk.best.values(), shrunk.best.len());
    Ok(Reduced {
        module: target.subject.run(&mut target.driver).unwrap_or_default(),
        runs: target.oracle.runs,
        time: time.saturating_sub(target.oracle.time),
        oracle_time: target.oracle.time,
        is_finished: shrunk.finish == Finish::Fixpoint,
        course: target.course,
    })
}

struct Target {
    subject: Subject,
    driver: Driver,
    oracle: Counted,
    course: Vec<(u64, Vec<u8>)>,
}

/// A step of the course makes the module smaller by at least this share.
const STEP: usize = 20;

impl Target {
    fn keep(&mut self, module: Vec<u8>) {
        let last = self.course.last().map_or(usize::MAX, |(_, module)| module.len());
        if module.len() <= last - last / STEP {
            self.course.push((self.oracle.runs, module));
        }
    }
}

impl Runner for Target {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.driver.start_candidate(candidate, choices_max);
        let mut module = None;
        let outcome = match execute(&mut self.driver, |tc| module = self.subject.draw(tc)) {
            Outcome::Overrun => Outcome::Overrun,
            Outcome::Rejected => Outcome::Rejected,
            Outcome::Failed(payload) => std::panic::resume_unwind(payload),
            Outcome::Passed => match module {
                None => Outcome::Rejected,
                Some(module) if self.oracle.fails(&module) => {
                    self.keep(module);
                    Outcome::Failed(FAILED)
                }
                Some(_) => Outcome::Passed,
            },
        };
        self.driver.swap_trace(trace);
        outcome
    }
}

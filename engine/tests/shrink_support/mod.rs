//! Finds a failing case at random and shrinks it in this process.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::sync::{Arc, Mutex};

use dwindle_engine::TestCase;
use dwindle_engine::internals::shrink::{
    Budget, CAPPED, Candidate, Finish, Runner, Shrunk, shrink,
};
use dwindle_engine::internals::{Driver, Origin, Outcome, Trace, TranscriptEvent, execute};

pub(crate) mod kinds;
pub(crate) mod machines;
pub(crate) mod properties;

/// The one failure that a property returning a bool has.
pub(crate) const FAILED: Origin = Origin(1);

/// A property: whether the test case is fine.
pub(crate) type Property = dyn Fn(&mut TestCase) -> bool;

/// Runs a property in this process.
pub(crate) struct InProcess<'a> {
    /// The property. It says how a run ends that the test case does not stop.
    judge: Box<dyn Fn(&mut TestCase) -> Outcome + 'a>,
    pub tc: Driver,
    /// Whether each candidate is printed with what became of it.
    pub tells: bool,
}

impl<'a> InProcess<'a> {
    pub(crate) fn new(property: &'a Property) -> InProcess<'a> {
        InProcess::judged(
            move |tc| {
                if property(tc) { Outcome::Passed } else { Outcome::Failed(FAILED) }
            },
        )
    }

    /// The same for a property that can fail in several ways.
    pub(crate) fn judged(judge: impl Fn(&mut TestCase) -> Outcome + 'a) -> InProcess<'a> {
        InProcess { judge: Box::new(judge), tc: Driver::new(), tells: false }
    }

    /// How a started test case ends.
    pub(crate) fn outcome(&mut self) -> Outcome {
        let mut outcome = Outcome::Passed;
        let ended = execute(&mut self.tc, |tc| outcome = (self.judge)(tc));
        ended.or_unwind().map_or_else(Outcome::from, |()| outcome)
    }

    /// A failing trace found at random from `seed` on, and of those tries the largest of `among`.
    pub(crate) fn find(&mut self, seed: u64, among: usize) -> Trace {
        let mut best: Option<Trace> = None;
        let mut found = 0;
        for case in 0..3_000_000u64 {
            self.tc.start_random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(case), 4000);
            if let Outcome::Failed(_) = self.outcome() {
                found += 1;
                if best.as_ref().is_none_or(|best| best.len() < self.tc.trace().len()) {
                    best = Some(self.tc.trace().clone());
                }
                if found == among {
                    break;
                }
            }
        }
        best.expect("no random case fails")
    }

    /// Debug of each draw of `trace`.
    pub(crate) fn draws(&mut self, trace: &Trace) -> Vec<String> {
        let draws = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&draws);
        self.tc.listen(Some(Box::new(move |said| {
            let mut draws = heard.lock().unwrap();
            match said {
                TranscriptEvent::Draw(value) => draws.push(format!("{value:?}")),
                TranscriptEvent::Completed(draw, value) => draws[draw] = format!("{value:?}"),
                TranscriptEvent::Note(_) | TranscriptEvent::Name(_) | TranscriptEvent::Line => {}
            }
        })));
        self.tc.start_replay(&trace.values(), trace.len());
        assert!(matches!(self.outcome(), Outcome::Failed(_)), "what a shrink gives must fail");
        self.tc.listen(None);
        let draws = draws.lock().unwrap();
        draws.clone()
    }
}

impl Runner for InProcess<'_> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.tc.start_candidate(candidate, choices_max);
        let outcome = self.outcome();
        if self.tells {
            let values: Vec<String> = self
                .tc
                .trace()
                .choices
                .iter()
                .map(|choice| format!("{:?}", choice.value))
                .collect();
            println!(
                "{outcome:?} {}",
                values
                    .join(" ")
                    .replace("Integer", "")
                    .replace("Boolean", "")
                    .replace("true", "T")
                    .replace("false", "F")
            );
        }
        self.tc.swap_trace(trace);
        outcome
    }
}

/// A failure shrunk to its minimum.
pub(crate) struct Minimal {
    pub draws: Vec<String>,
    pub start: usize,
    pub shrunk: Shrunk,
}

/// Searches for a failing case from `seed` on and shrinks it.
pub(crate) fn minimal(seed: u64, property: &Property) -> Minimal {
    minimal_among(seed, 1, property)
}

/// The same from the largest of `among` failing cases.
pub(crate) fn minimal_among(seed: u64, among: usize, property: &Property) -> Minimal {
    let mut runner = InProcess::new(property);
    let start = runner.find(seed, among);
    runner.tells = std::env::var_os("TELL").is_some();
    let shrunk = shrink_from(&start, &mut runner);
    let draws = runner.draws(&shrunk.best);
    Minimal { draws, start: start.len(), shrunk }
}

/// Shrinks without a limit that a good shrinker ever reaches.
pub(crate) fn shrink_from(start: &Trace, runner: &mut dyn Runner) -> Shrunk {
    let shrunk = shrink(
        start,
        FAILED,
        runner,
        Budget { calls_max: 100_000, exhaust_max: CAPPED, around: None, stop: &mut || false },
        &mut |_, _| {},
    );
    assert_eq!(shrunk.finish, Finish::Fixpoint, "no shrink takes 100,000 calls");
    shrunk
}

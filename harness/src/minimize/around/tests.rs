//! What the search around a result may cost, and what it must not change.

use std::path::Path;
use std::time::{Duration, Instant};

use dwindle_engine::TestCase;
use dwindle_engine::generators as g;
use dwindle_engine::internals::Driver;
use dwindle_engine::internals::choice::Value;

use super::*;
use crate::execution::{InProcess, Run, Transcript};
use crate::failure::panics::Scope;
use crate::isolation::Isolated;
use crate::system::usage;
use crate::target::Target;

type Property = fn(&mut TestCase);

fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// No two different numbers have a common divisor greater than 10. The passes end at many pairs,
/// and the simplest is 11 and 22.
fn have_no_divisor(tc: &mut TestCase) {
    let (a, b) = (tc.draw(g::integers(1..=1000u32)), tc.draw(g::integers(1..=1000u32)));
    assert!(a == b || divisor(a, b) <= 10);
}

/// A pair that the passes do not improve.
const STUCK: [u32; 2] = [13, 26];

/// The bytes of two numbers.
fn input_of(numbers: [u32; 2]) -> Vec<u8> {
    let mut driver = Driver::new();
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    driver.start_bytes_recorded(&bytes, 10);
    let drawn = numbers.map(|_| driver.draw(g::integers(1..=1000u32)));
    assert_eq!(drawn, numbers);
    encode(&driver.trace().choices)
}

/// Runs in this process that look as if they were in workers.
struct Workers {
    runs: InProcess<Property>,
    /// Whether a candidate with these choices takes the worker with it.
    loses: fn(&Trace) -> bool,
    candidates: u64,
    lost: u64,
    has_lost: bool,
}

impl Workers {
    fn new(property: Property, loses: fn(&Trace) -> bool) -> Workers {
        let runs = InProcess::new(property, Scope::Thread, env!("CARGO_MANIFEST_DIR"), 1000);
        Workers { runs, loses, candidates: 0, lost: 0, has_lost: false }
    }
}

impl Executor for Workers {
    fn run_input(&mut self, input: &[u8], trace: &mut Trace) -> Run {
        self.has_lost = false;
        self.runs.run_input(input, trace)
    }

    fn run_candidate(
        &mut self,
        candidate: Candidate<'_>,
        choices_max: usize,
        trace: &mut Trace,
    ) -> Run {
        assert!(self.lost == 0, "a candidate ran after one that took the worker with it");
        self.candidates += 1;
        let run = self.runs.run_candidate(candidate, choices_max, trace);
        self.has_lost = (self.loses)(trace);
        if self.has_lost {
            self.lost += 1;
            return Run::Rejected;
        }
        run
    }

    fn run_with_transcript(&mut self, input: &[u8], trace: &mut Trace) -> (Run, Transcript) {
        self.runs.run_with_transcript(input, trace)
    }

    fn allow_for(&mut self, _runs: Runs) {}

    fn can_start_afresh(&self) -> bool {
        true
    }

    fn want_frames(&mut self, _wanted: bool) {}

    fn manifest_dir(&self) -> &Path {
        self.runs.manifest_dir()
    }

    fn narrow_stack(&mut self, _is_narrow: bool) {}

    fn fails_as_printed(&mut self, _: &[u8], _: &Failed, _: usize) -> Option<bool> {
        None
    }

    fn start_afresh(&mut self) {}

    fn time_elsewhere(&self) -> Duration {
        Duration::ZERO
    }

    fn has_lost_worker(&self) -> bool {
        self.has_lost
    }
}

/// Minimizes an input without the search around the result.
fn minimized<S: Executor>(executor: &mut S, input: &[u8]) -> Minimized {
    let mut trace = Trace::default();
    let Run::Failed(failed) = executor.run_input(input, &mut trace) else { panic!("it passes") };
    let found = Found { input, trace: &trace, failed: &failed, only: Only::default() };
    minimize(executor, found, Limits::default(), &mut |_, _| {})
}

fn improved<S: Executor>(executor: &mut S, limits: Limits, minimized: &mut Minimized) -> bool {
    improve(executor, Only::default(), limits, minimized, &mut || false, &mut |_, _| {})
}

fn assert_is(minimized: &Minimized, draws: [&str; 2]) {
    assert_eq!(
        (&minimized.draws[..], minimized.status),
        (&draws.map(str::to_owned)[..], Status::Minimized)
    );
}

#[test]
fn it_leaves_a_local_minimum_and_adds_its_calls() {
    let mut workers = Workers::new(have_no_divisor, |_| false);
    let mut minimized = minimized(&mut workers, &input_of(STUCK));
    assert_is(&minimized, ["13", "26"]);
    let (calls, original) = (minimized.calls, minimized.original_choices);
    workers.candidates = 0;
    assert!(improved(&mut workers, Limits::default(), &mut minimized));
    assert_is(&minimized, ["11", "22"]);
    assert_eq!(minimized.input, input_of([11, 22]));
    assert_eq!(minimized.original_choices, original);
    assert_eq!(minimized.calls, calls + workers.candidates);
    assert!(!improved(&mut workers, Limits::default(), &mut minimized), "this is the simplest");
}

/// Two bytes of the input, neither of them 0, may have no common divisor greater than 10.
fn bytes_have_no_divisor(tc: &mut TestCase) {
    let input = tc.rest_of_input();
    let [a, b, ..] = input[..] else { return };
    assert!(a == b || a == 0 || b == 0 || divisor(a.into(), b.into()) <= 10);
}

#[test]
fn the_search_around_a_raw_input_gets_as_many_calls_as_the_passes() {
    let mut workers = Workers::new(bytes_have_no_divisor, |_| false);
    let mut minimized = minimized(&mut workers, &[26, 13]);
    assert_eq!((minimized.is_raw, &minimized.input[..]), (true, &[26, 13][..]));
    minimized.calls_to_fixpoint = 8000;
    assert!(improved(&mut workers, Limits::default(), &mut minimized));
    assert_eq!((&minimized.input[..], minimized.status), (&[22, 11][..], Status::Minimized));
    for (calls, enough) in [(0, RAW_MIN), (300, 300)] {
        minimized.calls_to_fixpoint = calls;
        workers.candidates = 0;
        assert!(!improved(&mut workers, Limits::default(), &mut minimized), "it is the simplest");
        assert_eq!(workers.candidates, enough);
    }
}

#[test]
fn the_first_raw_candidate_that_takes_the_worker_with_it_ends_the_search() {
    let is_large =
        |trace: &Trace| trace.raw_input().is_some_and(|input| input.iter().any(|byte| *byte > 200));
    let mut workers = Workers::new(bytes_have_no_divisor, is_large);
    let mut minimized = minimized(&mut workers, &[26, 13]);
    let before = (minimized.input.clone(), minimized.status);
    assert!(!improved(&mut workers, Limits::default(), &mut minimized));
    assert_eq!((minimized.input, minimized.status), before);
    assert_eq!(workers.lost, 1);
}

#[test]
fn the_first_candidate_that_takes_the_worker_with_it_ends_the_search() {
    let is_large =
        |trace: &Trace| trace.values().iter().any(|value| matches!(value, Value::Integer(101..)));
    let mut workers = Workers::new(have_no_divisor, is_large);
    let mut minimized = minimized(&mut workers, &input_of(STUCK));
    let before = (minimized.input.clone(), minimized.status);
    assert!(!improved(&mut workers, Limits::default(), &mut minimized));
    assert_eq!((minimized.input, minimized.status), before);
    assert_eq!(workers.lost, 1);
}

#[test]
fn failures_whose_candidates_cost_much_and_other_results_are_not_searched_around() {
    let mut workers = Workers::new(have_no_divisor, |_| false);
    let mut does_nothing = |change: &dyn Fn(&mut Minimized, &mut Limits), calls_max| {
        let (mut minimized, mut limits) =
            (minimized(&mut workers, &input_of(STUCK)), Limits::default());
        workers.candidates = 0;
        change(&mut minimized, &mut limits);
        assert!(!improved(&mut workers, limits, &mut minimized));
        assert!(workers.candidates <= calls_max, "{} candidates", workers.candidates);
        assert_eq!(minimized.input, input_of(STUCK));
    };
    for kind in [BugKind::Timeout, BugKind::Oom, BugKind::StackOverflow] {
        does_nothing(&|minimized, _| minimized.failed.kind = kind, 0);
    }
    for status in [Status::Flaky, Status::BestEffort] {
        does_nothing(&|minimized, _| minimized.status = status, 0);
    }
    does_nothing(&|minimized, _| minimized.only_when_fresh = true, 0);
    does_nothing(&|_, limits| limits.exhaust_max = THOROUGH, 0);
    does_nothing(&|minimized, limits| limits.calls_max = minimized.calls + 1, 1);
    does_nothing(&|minimized, limits| limits.time_max = minimized.time, 0);
}

#[test]
fn it_stops_when_it_is_told_to() {
    let mut workers = Workers::new(have_no_divisor, |_| false);
    let mut minimized = minimized(&mut workers, &input_of(STUCK));
    workers.candidates = 0;
    let mut asked = 0;
    let mut stop = || {
        asked += 1;
        asked > 5
    };
    let limits = Limits::default();
    assert!(!improve(
        &mut workers,
        Only::default(),
        limits,
        &mut minimized,
        &mut stop,
        &mut |_, _| {}
    ));
    assert_eq!(workers.candidates, 4, "it is asked before it begins and before each candidate");
}

#[test]
fn it_keeps_to_its_time_where_a_candidate_takes_long() {
    let slow: [Property; 2] = [
        |tc| {
            let number = tc.draw(g::integers(0..=1000u32));
            let began = usage::thread_time();
            while usage::thread_time() < began + Duration::from_millis(5) {}
            assert!(number <= 100);
        },
        |tc| {
            let number = tc.draw(g::integers(0..=1000u32));
            std::thread::sleep(Duration::from_millis(20));
            assert!(number <= 100);
        },
    ];
    for property in slow {
        let mut workers = Workers::new(property, |_| false);
        let mut minimized = minimized(&mut workers, &[101, 0, 0, 0]);
        workers.candidates = 0;
        let calls = minimized.calls;
        improved(&mut workers, Limits::default(), &mut minimized);
        assert!((20..=110).contains(&workers.candidates), "{} candidates", workers.candidates);
        assert_eq!(minimized.calls, calls + workers.candidates);
    }
}

#[test]
fn a_hang_in_a_worker_ends_the_search_and_the_result_stays() {
    let property: Property = |tc| {
        let (a, b) = (tc.draw(g::integers(1..=1000u32)), tc.draw(g::integers(1..=1000u32)));
        if a > 100 || b > 100 {
            loop {
                std::hint::spin_loop();
            }
        }
        assert!(a == b || divisor(a, b) <= 10);
    };
    let target = Box::leak(Box::new(Target::new(
        Some("around"),
        env!("CARGO_MANIFEST_DIR"),
        property,
        || {},
    )));
    let mut executor = Isolated::new(target, 1000).unwrap();
    let mut minimized = minimized(&mut executor, &input_of(STUCK));
    assert_eq!(minimized.draws, ["13", "26"]);
    let calls = minimized.calls;
    let began = Instant::now();
    assert!(!improved(&mut executor, Limits::default(), &mut minimized));
    assert_is(&minimized, ["13", "26"]);
    assert!(minimized.calls > calls && began.elapsed() < Duration::from_secs(5));
}

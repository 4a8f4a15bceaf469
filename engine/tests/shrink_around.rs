//! The search around a best that no pass improves.

mod shrink_support;

use std::cmp::Ordering;

use dwindle_engine::internals::shrink::{
    AROUND, Around, Budget, CAPPED, Candidate, Finish, Runner, Shrunk, search_around, shrink,
};
use dwindle_engine::internals::{Origin, Outcome, Trace, order};
use dwindle_engine::{TestCase, generators as g};
use shrink_support::properties::CHALLENGE;
use shrink_support::{FAILED, InProcess};

fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// No two different numbers from 1 on have a common divisor greater than 10. From most failures,
/// both numbers must change at once to reach the simplest one, 11 and 22.
fn have_no_divisor(tc: &mut TestCase) -> bool {
    let (a, b) = (tc.draw(g::integers(1..=1000u32)), tc.draw(g::integers(1..=1000u32)));
    a == b || divisor(a, b) <= 10
}

/// Shrinks with at most `calls_max` calls in a row around the best.
fn shrink_around(start: &Trace, calls_max: u64, runner: &mut dyn Runner) -> Shrunk {
    let mut never = || false;
    let budget = Budget {
        calls_max: 1_000_000,
        exhaust_max: CAPPED,
        around: Some(Around { calls_max, stop: &mut never }),
        stop: &mut || false,
    };
    shrink(start, FAILED, runner, budget, &mut |_, _| {})
}

#[test]
fn it_leaves_local_minima() {
    let mut runner = InProcess::new(&have_no_divisor);
    let mut stuck = 0;
    for seed in 0..10 {
        let start = runner.find(seed, 1);
        let without = shrink_around(&start, 0, &mut runner);
        stuck += u32::from(runner.draws(&without.best) != ["11", "22"]);
        let with = shrink_around(&start, AROUND, &mut runner);
        assert_eq!(runner.draws(&with.best), ["11", "22"], "seed {seed}");
        assert_eq!(with.finish, Finish::Fixpoint);
    }
    assert!(stuck > 0, "the passes alone find every minimum, so this property shows nothing");
}

#[test]
fn it_does_nothing_before_the_fixpoint_and_keeps_to_its_calls() {
    for case in CHALLENGE {
        let mut runner = InProcess::new(&case.property);
        let start = runner.find(1, 1);
        let without = shrink_around(&start, 0, &mut runner);
        let with = shrink_around(&start, 300, &mut runner);
        assert_eq!(with.calls_to_fixpoint, without.calls_to_fixpoint, "{}", case.name);
        assert_ne!(
            order::compare(&with.best.choices, &without.best.choices),
            Ordering::Greater,
            "{}",
            case.name
        );
        assert!(with.calls_to_exhaust <= 300 + CAPPED + 1, "{} calls", with.calls_to_exhaust);
        assert!(with.calls_to_exhaust >= 250, "{} calls", with.calls_to_exhaust);
    }
}

#[test]
fn what_it_returns_does_not_change_when_it_is_shrunk_again() {
    for property in [&have_no_divisor as &shrink_support::Property, &CHALLENGE[9].property] {
        let mut runner = InProcess::new(property);
        for seed in 0..5 {
            let start = runner.find(seed, 1);
            let once = shrink_around(&start, 2000, &mut runner);
            let twice = shrink_around(&once.best, 2000, &mut runner);
            assert_eq!(once.best.values(), twice.best.values(), "seed {seed}");
        }
    }
}

#[test]
fn it_stops_when_it_is_told_to_and_only_it_is_asked() {
    let mut runner = InProcess::new(&have_no_divisor);
    let start = runner.find(2, 1);
    let mut asked = 0;
    let mut stop = || {
        asked += 1;
        asked > 50
    };
    let budget = Budget {
        calls_max: 1_000_000,
        exhaust_max: CAPPED,
        around: Some(Around { calls_max: AROUND, stop: &mut stop }),
        stop: &mut || false,
    };
    let shrunk = shrink(&start, FAILED, &mut runner, budget, &mut |_, _| {});
    assert_eq!(shrunk.finish, Finish::Fixpoint);
    assert!(
        (shrunk.calls_to_fixpoint..=shrunk.calls_to_fixpoint + 200).contains(&shrunk.calls),
        "{} calls, {} of them before it began",
        shrunk.calls,
        shrunk.calls_to_fixpoint
    );
    assert!(asked > 50, "it was asked {asked} times");
}

/// Searches around `start` with at most `calls_max` calls in a row, until `stop` says so.
fn search(start: &Trace, stop: &mut dyn FnMut() -> bool, runner: &mut dyn Runner) -> Shrunk {
    let budget = Budget {
        calls_max: 1_000_000,
        exhaust_max: CAPPED,
        around: Some(Around { calls_max: AROUND, stop }),
        stop: &mut || false,
    };
    search_around(start, FAILED, runner, budget, &mut |_, _| {})
}

#[test]
fn it_can_begin_at_the_result_of_a_shrink_without_it() {
    let mut runner = InProcess::new(&have_no_divisor);
    for seed in 0..10 {
        let start = runner.find(seed, 1);
        let without = shrink_around(&start, 0, &mut runner);
        let with = search(&without.best, &mut || false, &mut runner);
        assert_eq!(runner.draws(&with.best), ["11", "22"], "seed {seed}");
        assert_eq!(with.finish, Finish::Fixpoint);
        let again = search(&with.best, &mut || false, &mut runner);
        assert_eq!(again.best.values(), with.best.values(), "seed {seed}");
        assert!((1..=AROUND).contains(&again.calls), "{} calls", again.calls);
        assert_eq!(again.calls, again.calls_to_exhaust);
    }
}

#[test]
fn it_asks_before_its_first_candidate() {
    let mut runner = InProcess::new(&have_no_divisor);
    let start = runner.find(2, 1);
    let best = shrink_around(&start, 0, &mut runner).best;
    for asked_max in [0, 1, 5] {
        let mut asked = 0;
        let mut stop = || {
            asked += 1;
            asked > asked_max
        };
        let searched = search(&best, &mut stop, &mut runner);
        assert_eq!(searched.calls, asked_max);
        assert_eq!((searched.best.values(), searched.finish), (best.values(), Finish::Fixpoint));
    }
}

/// One bug of odd numbers, and another of even ones.
fn parity(tc: &mut TestCase) -> Outcome {
    match tc.draw(g::integers(0u32..=1_000_000)) {
        ..1001 => Outcome::Passed,
        number if number % 2 == 1 => Outcome::Failed(FAILED),
        _ => Outcome::Failed(Origin(2)),
    }
}

#[test]
fn it_keeps_no_other_failures() {
    let mut runner = InProcess::judged(parity);
    let mut start = Trace::default();
    let values = [dwindle_engine::internals::choice::Value::Integer(1001)];
    runner.run(Candidate::replaying(&values), 1, &mut start);
    let without = shrink_around(&start, 0, &mut runner);
    let with = shrink_around(&start, 1000, &mut runner);
    assert!(with.calls > without.calls + 500, "it met none");
    assert_eq!(with.others.len(), without.others.len());
}

//! Beside a reference that tries every smaller input: over tiny domains both end at the same one.
//! And what every shrink keeps.

mod shrink_support;

use std::cmp::Ordering;

use dwindle_engine::TestCase;
use dwindle_engine::generators as g;
use dwindle_engine::internals::choice::Value;
use dwindle_engine::internals::shrink::{Budget, Candidate, Finish, Runner, THOROUGH, shrink};
use dwindle_engine::internals::{Origin, Outcome, Trace, order};
use shrink_support::kinds::KINDS;
use shrink_support::machines::MACHINES;
use shrink_support::properties::CHALLENGE;
use shrink_support::{FAILED, InProcess, Property, shrink_from};

/// The simplest failure among all sequences of at most `length_max` choices below `values`.
fn simplest_of_all(property: &Property, length_max: usize, values: i128) -> Trace {
    let mut runner = InProcess::new(property);
    let mut best: Option<Trace> = None;
    let mut trace = Trace::default();
    for length in 0..=length_max {
        for index in 0..values.pow(length as u32) {
            let candidate: Vec<Value> = (0..length as u32)
                .map(|place| Value::Integer(index / values.pow(place) % values))
                .collect();
            // An integer in the place of a boolean reads as the simplest: booleans are drawn from
            // integers here.
            if runner.run(Candidate::replaying(&candidate), length_max, &mut trace)
                == Outcome::Failed(FAILED)
                && best.as_ref().is_none_or(|best| {
                    order::compare(&trace.choices, &best.choices) == Ordering::Less
                })
            {
                best = Some(trace.clone());
            }
        }
    }
    best.expect("something fails")
}

/// A few small numbers, as many as the first says.
fn small(tc: &mut TestCase) -> Vec<u8> {
    let count = tc.draw(g::integers(0usize..=3));
    (0..count).map(|_| tc.draw(g::integers(0u8..=1))).collect()
}

#[test]
fn over_tiny_domains_the_shrinker_ends_where_trying_everything_does() {
    // Each mask selects a set of sums and patterns. Each of the 255 masks is a separate property.
    for mask in 1..256u32 {
        let property = move |tc: &mut TestCase| {
            let list = small(tc);
            let sum = list.iter().map(|value| u32::from(*value)).sum::<u32>();
            let steps = list.windows(2).filter(|pair| pair[0] < pair[1]).count() as u32;
            let key = (sum + 3 * steps + list.len() as u32) % 8;
            mask >> key & 1 == 0
        };
        let reference = simplest_of_all(&property, 4, 4);
        for seed in 0..5 {
            let mut runner = InProcess::new(&property);
            let start = runner.find(seed, 1);
            let shrunk = shrink_from(&start, &mut runner);
            assert_eq!(
                shrunk.best.values(),
                reference.values(),
                "property {mask} from seed {seed}"
            );
        }
    }
}

/// Checks each candidate's answer from outside.
struct Watched<'a> {
    inner: InProcess<'a>,
    calls: u64,
}

impl Runner for Watched<'_> {
    fn run(&mut self, candidate: Candidate<'_>, choices_max: usize, trace: &mut Trace) -> Outcome {
        self.calls += 1;
        let outcome = self.inner.run(candidate, choices_max, trace);
        assert!(trace.len() <= choices_max, "a candidate never draws more than the best");
        outcome
    }
}

#[test]
fn every_new_best_fails_and_is_smaller_and_counted() {
    for case in CHALLENGE.iter().chain(MACHINES).chain(KINDS) {
        let mut inner = InProcess::new(&case.property);
        let start = inner.find(7, 3);
        let mut runner = Watched { inner, calls: 0 };
        let mut seen = vec![(start.clone(), 0)];
        let budget =
            Budget { calls_max: 50_000, exhaust_max: THOROUGH, around: None, stop: &mut || false };
        let shrunk = shrink(&start, FAILED, &mut runner, budget, &mut |best, calls| {
            seen.push((best.clone(), calls));
        });
        assert_eq!(shrunk.calls, runner.calls);
        for pair in seen.windows(2) {
            assert_eq!(
                order::compare(&pair[1].0.choices, &pair[0].0.choices),
                Ordering::Less,
                "{}",
                case.name
            );
            assert!(pair[0].1 < pair[1].1);
        }
        let mut trace = Trace::default();
        for (best, _) in &seen {
            assert_eq!(
                runner.inner.run(Candidate::replaying(&best.values()), best.len(), &mut trace),
                Outcome::Failed(FAILED)
            );
            assert_eq!(trace.choices, best.choices, "a best replays to itself");
        }
        assert_eq!(seen.last().map(|(best, _)| best.values()), Some(shrunk.best.values()));
    }
}

#[test]
fn a_shrink_of_a_minimum_changes_nothing() {
    for case in CHALLENGE.iter().chain(KINDS) {
        let mut runner = InProcess::new(&case.property);
        let start = runner.find(3, 1);
        let once = shrink_from(&start, &mut runner);
        let twice = shrink_from(&once.best, &mut runner);
        assert_eq!(once.best.values(), twice.best.values(), "{}", case.name);
    }
}

#[test]
fn one_start_gives_one_result_in_one_number_of_calls() {
    for case in CHALLENGE {
        let mut runner = InProcess::new(&case.property);
        let start = runner.find(11, 1);
        let (one, other) = (shrink_from(&start, &mut runner), shrink_from(&start, &mut runner));
        assert_eq!((one.best.values(), one.calls), (other.best.values(), other.calls));
    }
}

#[test]
fn out_of_budget_the_best_so_far_is_given() {
    let case = &CHALLENGE[6];
    for calls_max in 0..40 {
        let mut runner = InProcess::new(&case.property);
        let start = runner.find(5, 1);
        let shrunk = shrink(
            &start,
            FAILED,
            &mut runner,
            Budget { calls_max, exhaust_max: THOROUGH, around: None, stop: &mut || false },
            &mut |_, _| {},
        );
        assert_eq!((shrunk.finish, shrunk.calls), (Finish::Budget, calls_max));
        assert_ne!(order::compare(&shrunk.best.choices, &start.choices), Ordering::Greater);
    }
}

#[test]
fn out_of_budget_beside_a_fixpoint_it_is_one_still() {
    let case = CHALLENGE.iter().find(|case| case.name == "calculator").expect("it is one of them");
    let mut runner = InProcess::new(&case.property);
    let start = runner.find(5, 1);
    let mut with = |calls_max| {
        shrink(
            &start,
            FAILED,
            &mut runner,
            Budget { calls_max, exhaust_max: THOROUGH, around: None, stop: &mut || false },
            &mut |_, _| {},
        )
    };
    let whole = with(10_000);
    let fixpoint = whole.calls - whole.calls_to_exhaust;
    let (before, behind) = (with(fixpoint - 1), with(fixpoint + 1));
    assert_eq!((before.finish, before.calls_to_exhaust), (Finish::Budget, 0));
    assert_eq!(
        (behind.finish, behind.calls_to_exhaust, behind.no_smaller_among),
        (Finish::Fixpoint, 1, None)
    );
}

#[test]
fn a_shrink_stops_when_it_is_told_to() {
    let case = &CHALLENGE[6];
    let mut runner = InProcess::new(&case.property);
    let start = runner.find(5, 1);
    let mut asked = 0;
    let mut stop = || {
        asked += 1;
        asked > 10
    };
    let shrunk = shrink(
        &start,
        FAILED,
        &mut runner,
        Budget { calls_max: 1000, exhaust_max: THOROUGH, around: None, stop: &mut stop },
        &mut |_, _| {},
    );
    assert_eq!((shrunk.finish, shrunk.calls), (Finish::Budget, 10));
}

/// Two bugs: a large first number, and any large second one.
fn two_bugs(tc: &mut TestCase) -> Outcome {
    match (tc.draw(g::integers(0u32..=1000)), tc.draw(g::integers(0u32..=1000))) {
        (500.., _) => Outcome::Failed(Origin(1)),
        (_, 700..) => Outcome::Failed(Origin(2)),
        _ => Outcome::Passed,
    }
}

#[test]
fn other_failures_are_kept_and_never_become_the_best() {
    let mut runner = InProcess::judged(two_bugs);
    let mut start = Trace::default();
    assert_eq!(
        runner.run(
            Candidate::replaying(&[Value::Integer(900), Value::Integer(900)]),
            2,
            &mut start
        ),
        Outcome::Failed(Origin(1))
    );
    let shrunk = shrink(
        &start,
        Origin(1),
        &mut runner,
        Budget { calls_max: 1000, exhaust_max: THOROUGH, around: None, stop: &mut || false },
        &mut |_, _| {},
    );
    assert_eq!(shrunk.best.values(), [Value::Integer(500), Value::Integer(0)]);
    let [(origin, other)] = &shrunk.others[..] else {
        panic!("one other bug was met, not {}", shrunk.others.len())
    };
    assert_eq!(*origin, Origin(2));
    let mut trace = Trace::default();
    assert_eq!(
        runner.run(Candidate::replaying(&other.values()), 2, &mut trace),
        Outcome::Failed(Origin(2))
    );
}

/// One bug that a large number sets off, and another in the middle of these numbers.
fn hole(tc: &mut TestCase) -> Outcome {
    match tc.draw(g::integers(0u32..=1000)) {
        9 | 300..400 => Outcome::Failed(Origin(2)),
        8.. => Outcome::Failed(Origin(1)),
        _ => Outcome::Passed,
    }
}

#[test]
fn another_bug_among_the_values_below_is_stepped_over() {
    for start in [10, 11, 400, 401, 1000] {
        let mut runner = InProcess::judged(hole);
        let mut first = Trace::default();
        assert_eq!(
            runner.run(Candidate::replaying(&[Value::Integer(start)]), 1, &mut first),
            Outcome::Failed(Origin(1))
        );
        let shrunk = shrink(
            &first,
            Origin(1),
            &mut runner,
            Budget { calls_max: 1000, exhaust_max: THOROUGH, around: None, stop: &mut || false },
            &mut |_, _| {},
        );
        assert_eq!(shrunk.best.values(), [Value::Integer(8)], "from {start}");
    }
}

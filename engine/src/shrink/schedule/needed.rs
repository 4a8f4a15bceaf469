//! Each pass is needed: without it, some input shrinks less far or takes more calls.

mod inputs;
mod structure;
mod values;

use inputs::{Input, inputs};

use super::super::search::Search;
use super::super::shrink_support::kinds::KINDS;
use super::super::shrink_support::machines::MACHINES;
use super::super::shrink_support::properties::{CHALLENGE, Case};
use super::super::shrink_support::{FAILED, InProcess};
use super::super::{Around, Budget, CAPPED, Candidate, Runner, Shrunk, THOROUGH};
use super::{AROUND, LAST, STAGES, run_without};
use crate::choice::Value;
use crate::outcome::Outcome;
use crate::test_case::TestCase;
use crate::trace::Trace;
use crate::{generators as g, order};

/// For each pass, a property that needs it, from random starts.
const BY_PROPERTY: &[(&str, &str)] = &[
    ("child::each", "binheap"),
    ("delete::quick", "map of lists"),
    ("merge::neighbours", "nestedlists"),
    ("simplest::values", "lengthlist"),
    ("discarded::all", "set gap"),
    ("rounds::each", "flagged loop"),
    ("strings::shorten", "store"),
    ("absorb::each", "bound5 unbounded"),
    ("pairs::give_all", "bound5"),
    ("integers::each", "ledger"),
    ("floats::each", "float with fraction"),
    ("pairs::mirror", "difference one"),
    ("renumber::each", "coupling"),
    ("sort::siblings", "bound5 unbounded"),
    ("rename::each", "graph by index"),
    ("alternative::each", "calculator"),
    ("pairs::borrow", "ledger"),
    ("duplicate::each", "stack"),
];

const SEEDS: u64 = 20;

#[test]
fn some_property_needs_the_pass() {
    for (pass, name) in BY_PROPERTY {
        let case = case(name);
        let mut calls = (0, 0);
        let larger = (0..SEEDS).any(|seed| {
            let mut runner = InProcess::new(&case.property);
            let start = runner.find(seed, 1);
            let (with, without) =
                (shrunk("", &start, 0, &mut runner), shrunk(pass, &start, 0, &mut runner));
            calls = (calls.0 + with.1, calls.1 + without.1);
            order::compare(&without.0.choices, &with.0.choices).is_gt()
        });
        assert!(larger || saves(calls), "{name} does not need {pass}: {calls:?} calls");
    }
}

fn case(name: &str) -> &'static Case {
    CHALLENGE.iter().chain(MACHINES).chain(KINDS).find(|case| case.name == name).expect(name)
}

/// Whether the calls with a pass are clearly fewer than the calls without it.
fn saves((with, without): (u64, u64)) -> bool {
    without * 4 >= with * 5
}

#[test]
fn some_input_needs_the_pass() {
    let mut wrong = Vec::new();
    for Input { pass, property, start, end, exhaust_max } in inputs() {
        let mut runner = InProcess::new(&property);
        let mut trace = Trace::default();
        assert_eq!(
            runner.run(Candidate::replaying(&start), start.len(), &mut trace),
            Outcome::Failed(FAILED),
            "the input for {pass} must fail"
        );
        assert_eq!(trace.values(), start, "the input for {pass} must be read as it stands");
        let (with, without) = (
            shrunk("", &trace, exhaust_max, &mut runner),
            shrunk(pass, &trace, exhaust_max, &mut runner),
        );
        if with.0.values() != end {
            wrong.push(format!("the input for {pass} ends at {:?}", with.0.values()));
        } else if without.0.values() == end && !saves((with.1, without.1)) {
            wrong.push(format!(
                "the input for {pass} does not need it: {} calls with it, {} without",
                with.1, without.1
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_complete_exhaustion_says_of_many_sequences_that_none_fails() {
    let mut runner = InProcess::new(&case("calculator").property);
    let start = runner.find(1, 1);
    let with = shrink_without("", &start, THOROUGH, &mut runner);
    let without = shrink_without("exhaust::complete", &start, THOROUGH, &mut runner);
    assert_eq!(without.no_smaller_among, None);
    assert!(
        with.no_smaller_among.is_some_and(|sequences| sequences > 60),
        "{:?}",
        with.no_smaller_among
    );
}

const REMAINDERS: [(u32, u32); 3] = [(61, 40), (59, 50), (53, 45)];
const ALL_AT_LEAST: u32 = 10_000;

/// About one random case in 190,000 fails.
fn remainders_differ(tc: &mut TestCase) -> bool {
    let stay = REMAINDERS.map(|(modulus, remainder)| {
        let number = tc.draw(g::integers(0..=1_000_000u32));
        number >= ALL_AT_LEAST && number % modulus == remainder
    });
    stay != [true; 3]
}

#[test]
fn numbers_whose_remainders_must_stay_need_the_steps() {
    let mut runner = InProcess::new(&remainders_differ);
    let mut start = Trace::default();
    let number = |number: u32| Value::Integer(number.into());
    let values = REMAINDERS.map(|(modulus, remainder)| number(modulus * 3003 + remainder));
    runner.run(Candidate::replaying(&values), values.len(), &mut start);
    let least = REMAINDERS.map(|(modulus, remainder)| {
        number((ALL_AT_LEAST..1_000_000).find(|number| number % modulus == remainder).unwrap())
    });
    let best = |pass, runner: &mut InProcess<'_>| {
        shrunk_within(pass, &start, (CAPPED, Some(2000)), runner).best.values()
    };
    assert_eq!(best("", &mut runner), least);
    assert_ne!(best("integers::steps", &mut runner), least);
}

/// Only these two numbers fail.
fn is_neither_333_nor_777_777(tc: &mut TestCase) -> bool {
    let number = tc.draw(g::integers(0..=u64::MAX));
    number != 333 && number != 777_777
}

#[test]
fn a_single_number_needs_the_scan() {
    let mut runner = InProcess::new(&is_neither_333_nor_777_777);
    let mut start = Trace::default();
    runner.run(Candidate::replaying(&[Value::Integer(777_777)]), 1, &mut start);
    for (pass, best) in [("", 333), ("integers::scan", 777_777)] {
        let shrunk = shrunk_within(pass, &start, (CAPPED, Some(3000)), &mut runner);
        assert_eq!(shrunk.best.values(), [Value::Integer(best)], "without {pass:?}");
    }
}

#[test]
fn every_pass_is_shown_to_be_needed() {
    let by_itself = ["exhaust::complete", "integers::steps", "integers::scan"];
    let shown: Vec<&str> = by_itself
        .into_iter()
        .chain(BY_PROPERTY.iter().map(|(pass, _)| *pass))
        .chain(inputs().iter().map(|input| input.pass))
        .collect();
    for (pass, _) in STAGES.iter().copied().flatten().chain(LAST).chain(AROUND) {
        assert!(shown.contains(pass), "no test needs {pass}: take it out, or add what needs it");
    }
}

/// The best without a pass, and the number of calls.
fn shrunk(
    without: &str,
    start: &Trace,
    exhaust_max: u64,
    runner: &mut InProcess<'_>,
) -> (Trace, u64) {
    let shrunk = shrink_without(without, start, exhaust_max, runner);
    (shrunk.best, shrunk.calls)
}

fn shrink_without(
    pass: &str,
    start: &Trace,
    exhaust_max: u64,
    runner: &mut InProcess<'_>,
) -> Shrunk {
    shrunk_within(pass, start, (exhaust_max, None), runner)
}

/// The result of a shrink without a pass. The limits are the calls of `exhaust`, and the calls of
/// the search around the best.
fn shrunk_within(
    pass: &str,
    start: &Trace,
    (exhaust_max, around): (u64, Option<u64>),
    runner: &mut InProcess<'_>,
) -> Shrunk {
    let (mut stop, mut progress) = (|| false, |_: &Trace, _| {});
    let mut never = || false;
    let around = around.map(|calls_max| Around { calls_max, stop: &mut never });
    let mut search = Search::new(
        start,
        FAILED,
        runner,
        Budget { calls_max: 20_000, exhaust_max, around, stop: &mut stop },
        &mut progress,
    );
    run_without(&[pass], &mut search);
    search.finish()
}

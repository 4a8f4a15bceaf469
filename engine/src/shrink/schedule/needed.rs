//! Each pass is needed: without it some input is not brought down as far, or not in as few calls.

#[path = "../../../tests/shrink_support/mod.rs"]
mod shrink_support;

use shrink_support::machines::{KINDS, MACHINES};
use shrink_support::properties::{CHALLENGE, Case};
use shrink_support::{FAILED, InProcess};

use super::super::search::Search;
use super::super::{Budget, Runner, Shrunk, THOROUGH};
use super::{LAST, STAGES, run_without};
use crate::choice::Value;
use crate::generators as g;
use crate::outcome::Outcome;
use crate::test_case::TestCase;
use crate::trace::Trace;
use crate::{Generate, any, order};

/// The property that shows a pass to be needed, from random starts.
const BY_PROPERTY: &[(&str, &str)] = &[
    ("child::each", "binheap"),
    ("delete::quick", "map of lists"),
    ("merge::neighbours", "nestedlists"),
    ("simplest::values", "lengthlist"),
    ("discarded::all", "set gap"),
    ("delete::full", "stack"),
    ("delete::rounds", "flagged loop"),
    ("strings::shorten", "store"),
    ("absorb::each", "bound5 unbounded"),
    ("pairs::give_all", "bound5"),
    ("integers::each", "ledger"),
    ("floats::each", "float with fraction"),
    ("strings::simplify", "two equal capitals"),
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
            let (with, without) = (shrunk("", &start, 0, &mut runner), shrunk(pass, &start, 0, &mut runner));
            calls = (calls.0 + with.1, calls.1 + without.1);
            order::compare(&without.0.choices, &with.0.choices).is_gt()
        });
        assert!(larger || saves(calls), "{name} does not need {pass}: {calls:?} calls");
    }
}

fn case(name: &str) -> &'static Case {
    CHALLENGE.iter().chain(MACHINES).chain(KINDS).find(|case| case.name == name).expect(name)
}

/// Whether so many calls with a pass are clearly fewer than so many without it.
fn saves((with, without): (u64, u64)) -> bool {
    without * 4 >= with * 5
}

/// An input made for one pass.
struct Input {
    pass: &'static str,
    property: fn(&mut TestCase) -> bool,
    start: Vec<Value>,
    end: Vec<Value>,
    /// How many calls the passes that run last have: none where they would find by trying what the pass knows.
    exhaust_max: u64,
}

#[test]
fn some_input_needs_the_pass() {
    let mut wrong = Vec::new();
    for Input { pass, property, start, end, exhaust_max } in inputs() {
        let mut runner = InProcess::new(&property);
        let mut trace = Trace::default();
        assert_eq!(runner.run(&start, start.len(), &mut trace), Outcome::Failed(FAILED), "the input for {pass} must fail");
        assert_eq!(trace.values(), start, "the input for {pass} must be read as it stands");
        let (with, without) = (shrunk("", &trace, exhaust_max, &mut runner), shrunk(pass, &trace, exhaust_max, &mut runner));
        if with.0.values() != end {
            wrong.push(format!("the input for {pass} ends at {:?}", with.0.values()));
        } else if without.0.values() == end && !saves((with.1, without.1)) {
            wrong.push(format!("the input for {pass} does not need it: {} calls with it, {} without", with.1, without.1));
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
    assert!(with.no_smaller_among.is_some_and(|sequences| sequences > 60), "{:?}", with.no_smaller_among);
}

#[test]
fn every_pass_is_shown_to_be_needed() {
    let by_itself = ["exhaust::complete"];
    let shown: Vec<&str> = by_itself.into_iter().chain(BY_PROPERTY.iter().map(|(pass, _)| *pass)).chain(inputs().iter().map(|input| input.pass)).collect();
    for (pass, _) in STAGES.iter().copied().flatten().chain(LAST) {
        assert!(shown.contains(pass), "no test needs {pass}: take it out, or add what needs it");
    }
}

/// The best without a pass, and the calls that took.
fn shrunk(without: &str, start: &Trace, exhaust_max: u64, runner: &mut InProcess<'_>) -> (Trace, u64) {
    let shrunk = shrink_without(without, start, exhaust_max, runner);
    (shrunk.best, shrunk.calls)
}

fn shrink_without(pass: &str, start: &Trace, exhaust_max: u64, runner: &mut InProcess<'_>) -> Shrunk {
    let (mut stop, mut progress) = (|| false, |_: &Trace, _| {});
    let mut search = Search::new(start, FAILED, runner, Budget { calls_max: 20_000, exhaust_max, stop: &mut stop }, &mut progress);
    run_without(pass, &mut search);
    search.finish()
}

fn numbers(numbers: impl IntoIterator<Item = i128>) -> Vec<Value> {
    numbers.into_iter().map(Value::Integer).collect()
}

fn booleans(booleans: impl IntoIterator<Item = bool>) -> Vec<Value> {
    booleans.into_iter().map(Value::Boolean).collect()
}

/// A list of numbers as it is replayed.
fn list(elements: impl IntoIterator<Item = i128>) -> Vec<Value> {
    let mut values: Vec<Value> = elements.into_iter().flat_map(|element| [Value::Boolean(true), Value::Integer(element)]).collect();
    values.push(Value::Boolean(false));
    values
}

/// Numbers of eight bits, of which one may be all bits that differ between two others.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
enum Bits {
    These([bool; 8]),
    Differing(Box<Bits>, Box<Bits>),
}

impl Bits {
    fn value(&self) -> u8 {
        match self {
            Bits::These(bits) => bits.iter().fold(0, |value, bit| value << 1 | u8::from(*bit)),
            Bits::Differing(left, right) => left.value() ^ right.value(),
        }
    }
}

/// A truth value or a number.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
enum Literal {
    Truth(bool),
    Number(i64),
}

/// Two alternatives, of which the later has something in front of the same.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
enum Statement {
    Return(u32, u32),
    Assign { name: u8, value: (u32, u32) },
}

/// Two alternatives, of which the later is shorter.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
enum Shape {
    Oblong(u8, u8),
    Square(u8),
}

/// Two alternatives of one length and of different kinds.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
enum Three {
    Bits([bool; 3]),
    Numbers([u16; 3]),
}

fn inputs() -> Vec<Input> {
    of_numbers().into_iter().chain(of_shapes()).chain(for_the_last_passes()).collect()
}

fn of_numbers() -> Vec<Input> {
    vec![
        Input {
            pass: "simplest::classes",
            property: |tc| {
                let pairs = tc.draw(g::vec((g::integers(0u8..), g::integers(0u16..=999))));
                pairs.len() < 200 || pairs.iter().any(|(needed, _)| *needed != 77)
            },
            start: (0..200).flat_map(|index| [Value::Boolean(true), Value::Integer(77), Value::Integer(1 + index)]).chain([Value::Boolean(false)]).collect(),
            end: (0..200).flat_map(|_| [Value::Boolean(true), Value::Integer(77), Value::Integer(0)]).chain([Value::Boolean(false)]).collect(),
            exhaust_max: 0,
        },
        Input {
            pass: "together::level",
            property: |tc| tc.draw(g::vec(g::integers(0u32..))).iter().filter(|number| **number >= 10).count() < 30,
            start: list((0..30).map(|index| 1000 + index * 37)),
            end: list([10; 30]),
            exhaust_max: 0,
        },
        Input {
            pass: "together::equal",
            property: |tc| {
                let (one, other, third) = (tc.draw(g::integers(0u8..)), tc.draw(g::integers(0u16..)), tc.draw(g::integers(0u32..)));
                one < 10 || u16::from(one) != other || u32::from(one) != third
            },
            start: numbers([200; 3]),
            end: numbers([10; 3]),
            exhaust_max: 0,
        },
        Input {
            pass: "together::class",
            property: |tc| {
                let [one, other, third] = tc.draw([(); 3].map(|()| g::integers(0u16..)));
                other.checked_sub(one) != Some(3) || third.checked_sub(one) != Some(8)
            },
            start: numbers([500, 503, 508]),
            end: numbers([0, 3, 8]),
            exhaust_max: 0,
        },
        Input {
            pass: "pairs::transfer",
            property: |tc| {
                let [one, other] = tc.draw([(); 2].map(|()| g::integers(0u16..)));
                one.checked_add(other) != Some(1000) || other > 700
            },
            start: numbers([600, 400]),
            end: numbers([300, 700]),
            exhaust_max: 0,
        },
        Input {
            pass: "pairs::lower_both",
            property: |tc| {
                let [one, other, rest @ ..] = tc.draw([(); 6].map(|()| g::integers(0u16..)));
                other.checked_sub(one) != Some(300) || rest != [490, 510, 790, 810]
            },
            start: numbers([500, 800, 490, 510, 790, 810]),
            end: numbers([0, 300, 490, 510, 790, 810]),
            exhaust_max: 0,
        },
        Input {
            pass: "pairs::trade",
            property: |tc| tc.draw(g::integers(0i16..=1000)) - tc.draw(g::integers(-1000i16..=0)) != 700,
            start: numbers([400, -300]),
            end: numbers([0, -700]),
            exhaust_max: 0,
        },
    ]
}

fn of_shapes() -> Vec<Input> {
    vec![
        Input {
            pass: "delete::pairs",
            property: |tc| {
                let list = tc.draw(g::vec(g::integers(0u8..)));
                list.len() % 2 == 1 || !list.contains(&77)
            },
            start: list([5, 77, 6, 9]),
            end: list([0, 77]),
            exhaust_max: 0,
        },
        Input {
            pass: "child::lowered",
            property: case("drawn depth").property,
            start: [numbers([2, 1, 0, 0, 1, 0]), booleans([false]), numbers([0]), booleans([true])].concat(),
            end: [numbers([1, 0, 1, 0]), booleans([false]), numbers([0]), booleans([true])].concat(),
            exhaust_max: 0,
        },
        Input {
            pass: "strings::punctuation",
            property: |tc| !tc.draw(g::text()).contains(['#', '%']),
            start: vec![Value::Text("%".into())],
            end: vec![Value::Text("#".into())],
            exhaust_max: 0,
        },
        Input {
            pass: "alternative::each",
            property: |tc| matches!(tc.draw(any()), Literal::Truth(false) | Literal::Number(0)),
            start: numbers([1, 5]),
            end: vec![Value::Integer(0), Value::Boolean(true)],
            exhaust_max: 0,
        },
        Input {
            pass: "alternative::later",
            property: |tc| match tc.draw(any()) {
                Shape::Oblong(width, height) => width.checked_mul(height) != Some(49),
                Shape::Square(side) => side != 1,
            },
            start: numbers([0, 7, 7]),
            end: numbers([1, 1]),
            exhaust_max: THOROUGH,
        },
        Input {
            pass: "alternative::shifted",
            property: |tc| match tc.draw(any()) {
                Statement::Return(one, other) => (one, other) != (3000, 2000),
                Statement::Assign { name, value } => name == 0 || value != (3000, 2000),
            },
            start: numbers([1, 7, 3000, 2000]),
            end: numbers([0, 3000, 2000]),
            exhaust_max: 0,
        },
    ]
}

fn for_the_last_passes() -> Vec<Input> {
    vec![
        Input {
            pass: "exhaust::each",
            property: |tc| match tc.draw(any()) {
                Three::Bits(bits) => bits != [true, false, true],
                Three::Numbers(numbers) => numbers != [5000, 6000, 7000],
            },
            start: numbers([1, 5000, 6000, 7000]),
            end: [numbers([0]), booleans([true, false, true])].concat(),
            exhaust_max: THOROUGH,
        },
        Input {
            pass: "sort::without_one",
            property: |tc| ![vec![7, 8, 9], vec![9, 7]].contains(&tc.draw(g::vec(g::integers(0u8..)))),
            start: list([7, 8, 9]),
            end: list([9, 7]),
            exhaust_max: THOROUGH,
        },
        Input {
            pass: "nearby::each",
            property: |tc| ![[5, 0, 0], [1, 6, 1]].contains(&tc.draw([(); 3].map(|()| g::integers(0u16..)))),
            start: numbers([5, 0, 0]),
            end: numbers([1, 6, 1]),
            exhaust_max: THOROUGH,
        },
        Input {
            // Two points that lie 300 apart on one line, the first at a distance of 1,000 from the origin.
            pass: "alike::each",
            property: |tc| {
                let point = || (g::integers(0u16..), g::integers(0u16..));
                let (one, other) = (tc.draw(point()), tc.draw(point()));
                !(one.0.checked_sub(other.0) == Some(300) && one.1 == other.1 && one.0.checked_add(one.1) == Some(1000))
            },
            start: numbers([500, 500, 200, 500]),
            end: numbers([300, 700, 0, 700]),
            exhaust_max: THOROUGH,
        },
        Input {
            // Bits that overlap in one: neither branch of a branch has them.
            pass: "redraw::each",
            property: |tc| !matches!(tc.draw(any()), Bits::Differing(left, right) if left.value() & 0b1001 == 0b1001 && right.value() & 0b0110 == 0b0110),
            start: differing(differing(these(0b1000), these(0b0001)), differing(these(0b0100), these(0b0010))),
            end: differing(these(0b1001), these(0b0110)),
            exhaust_max: THOROUGH,
        },
    ]
}

fn these(value: u8) -> Vec<Value> {
    [numbers([0]), booleans((0..8).rev().map(|bit| value >> bit & 1 == 1))].concat()
}

fn differing(left: Vec<Value>, right: Vec<Value>) -> Vec<Value> {
    [numbers([1]), left, right].concat()
}

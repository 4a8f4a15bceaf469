//! Inputs that only one pass brings down.

mod shrink_support;

use dwindle_engine::generators as g;
use dwindle_engine::shrink::{Budget, Finish, Runner, THOROUGH, shrink};
use dwindle_engine::{Generate, Outcome, TestCase, Trace, Value};
use shrink_support::{FAILED, InProcess, Property};

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

fn holds(tc: &mut TestCase) -> bool {
    let bits: Bits = tc.draw(dwindle_engine::any());
    // Bits that overlap in one: neither branch of a branch has them.
    !matches!(bits, Bits::Differing(left, right) if left.value() & 0b1001 == 0b1001 && right.value() & 0b0110 == 0b0110)
}

#[test]
fn a_branch_whose_value_only_its_own_branches_have_becomes_a_leaf_with_another() {
    let these = |value: u8| [Value::Integer(0)].into_iter().chain((0..8).rev().map(move |bit| Value::Boolean(value >> bit & 1 == 1)));
    let differing = |left: Vec<Value>, right: Vec<Value>| [Value::Integer(1)].into_iter().chain(left).chain(right).collect::<Vec<Value>>();
    let start = differing(differing(these(0b1000).collect(), these(0b0001).collect()), differing(these(0b0100).collect(), these(0b0010).collect()));
    let end = differing(these(0b1001).collect(), these(0b0110).collect());
    assert_eq!(shrunk(&start, THOROUGH, &holds), end);
}

/// A truth value or a number.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
enum Literal {
    Truth(bool),
    Number(i64),
}

#[test]
fn an_earlier_alternative_gets_another_value_than_the_simplest_where_that_is_needed() {
    let is_falsy = |tc: &mut TestCase| matches!(tc.draw(dwindle_engine::any::<Literal>()), Literal::Truth(false) | Literal::Number(0));
    let start = [Value::Integer(1), Value::Integer(5)];
    assert_eq!(shrunk(&start, WITHOUT_LAST, &is_falsy), [Value::Integer(0), Value::Boolean(true)]);
}

/// Two alternatives, of which the later has something in front of the same.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
enum Statement {
    Return(u32, u32),
    Assign(u8, u32, u32),
}

#[test]
fn an_earlier_alternative_takes_the_end_of_what_a_later_one_holds() {
    let is_sound = |tc: &mut TestCase| match tc.draw(dwindle_engine::any()) {
        Statement::Return(one, other) | Statement::Assign(_, one, other) => (one, other) != (3000, 2000),
    };
    let start = [1, 7, 3000, 2000].map(Value::Integer);
    assert_eq!(shrunk(&start, WITHOUT_LAST, &is_sound), [0, 3000, 2000].map(Value::Integer));
}

/// Two points that lie 300 apart on one line, the first at a distance of 1,000 from the origin.
fn points_are_elsewhere(tc: &mut TestCase) -> bool {
    let point = || (g::integers(0u16..), g::integers(0u16..));
    let (one, other) = (tc.draw(point()), tc.draw(point()));
    !(one.0.checked_sub(other.0) == Some(300) && one.1 == other.1 && one.0.checked_add(one.1) == Some(1000))
}

#[test]
fn what_two_values_have_to_do_in_the_same_way_they_do_at_once() {
    let numbers = |numbers: [i128; 4]| numbers.map(Value::Integer);
    assert_eq!(shrunk(&numbers([500, 500, 200, 500]), THOROUGH, &points_are_elsewhere), numbers([300, 700, 0, 700]));
}

/// No calls for the passes that run last, which would find by trying what an earlier pass knows.
const WITHOUT_LAST: u64 = 0;

/// What the values `start`, which must fail as they stand, are shrunk to.
fn shrunk(start: &[Value], exhaust_max: u64, property: &Property) -> Vec<Value> {
    let mut runner = InProcess::new(property);
    let mut trace = Trace::default();
    assert_eq!(runner.run(start, start.len(), &mut trace), Outcome::Failed(FAILED));
    assert_eq!(trace.values(), start);
    let budget = Budget { calls_max: 10_000, exhaust_max, stop: &mut || false };
    let shrunk = shrink(&trace, FAILED, &mut runner, budget, &mut |_, _| {});
    assert_eq!(shrunk.finish, Finish::Fixpoint);
    shrunk.best.values()
}

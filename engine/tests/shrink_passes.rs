//! Inputs that one late pass alone brings down.

mod shrink_support;

use dwindle_engine::shrink::{Budget, Finish, Runner, THOROUGH, shrink};
use dwindle_engine::{Generate, Outcome, TestCase, Trace, Value};
use shrink_support::{FAILED, InProcess};

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
    let mut runner = InProcess::new(&holds);
    let mut trace = Trace::default();
    assert_eq!(runner.run(&start, start.len(), &mut trace), Outcome::Failed(FAILED));
    assert_eq!(trace.values(), start);
    let budget = Budget { calls_max: 10_000, exhaust_max: THOROUGH, stop: &mut || false };
    let shrunk = shrink(&trace, FAILED, &mut runner, budget, &mut |_, _| {});
    assert_eq!(shrunk.finish, Finish::Fixpoint);
    assert_eq!(shrunk.best.values(), differing(these(0b1001).collect(), these(0b0110).collect()));
}

//! Inputs for the passes that change how elements and the parts of trees are held together.

use super::super::super::THOROUGH;
use super::inputs::{Input, numbers};
use super::values::{Part, Tree};
use crate::any;
use crate::choice::Value;
use crate::generators as g;
use crate::test_case::TestCase;

pub(super) fn of_structure() -> Vec<Input> {
    vec![
        Input {
            pass: "regroup::dissolve",
            property: |tc| tc.draw(any::<Tree>()).leaves() != [1, 2, 3, 4, 5, 6],
            // Many[Pair(1, 2), Pair(3, 4), Pair(5, 6)] and Many[1, 2, 3, 4, 5, 6]
            start: numbers([2, 2, 0, 1, 0, 2, 2, 0, 3, 0, 4, 2, 0, 5, 0, 6, 0]),
            end: numbers([2, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 0]),
            exhaust_max: 0,
        },
        Input {
            pass: "regroup::graft",
            property: |tc| {
                let trees = tc.draw(g::vec(any::<Tree>()));
                let pairs: usize = trees.iter().map(Tree::pairs).sum();
                pairs < 2 || trees.iter().any(|tree| tree.leaves().iter().any(|leaf| *leaf < 7))
            },
            // [Pair(7, 7), Pair(7, 7)] and [Pair(7, Pair(7, 7))]
            start: numbers([2, 0, 7, 0, 7, 2, 0, 7, 0, 7, 0]),
            end: numbers([2, 0, 7, 1, 0, 7, 0, 7, 0]),
            exhaust_max: 0,
        },
        Input {
            // Trees of a function in a loop. Each of them begins with a node of one branch.
            pass: "windows::each",
            property: |tc| {
                let mut leaves = Vec::new();
                while tc.draw(g::booleans()) {
                    leaf(tc, &mut leaves);
                }
                leaves != [7; 4]
            },
            start: loop_of(&[Value::Integer(1), Value::Integer(0), Value::Integer(7)]),
            end: loop_of(&[Value::Integer(0), Value::Integer(7)]),
            exhaust_max: 0,
        },
        Input {
            pass: "instead::both",
            property: |tc| {
                let parts = tc.draw(g::vec(any::<Part>()));
                let numbers = parts.iter().flat_map(|part| match part {
                    Part::Pair(one, other) => vec![*one, *other],
                    Part::One(one) => vec![*one],
                });
                !numbers.eq([30, 50])
            },
            start: numbers([2, 30, 2, 50, 0]),
            end: numbers([1, 30, 50, 0]),
            exhaust_max: THOROUGH,
        },
    ]
}

/// Draws a tree that has one leaf.
fn leaf(tc: &mut TestCase, leaves: &mut Vec<u8>) {
    if !tc.too_deep() && tc.draw(g::integers(0u8..=3)) == 1 {
        tc.deeper(|tc| leaf(tc, leaves));
    } else {
        leaves.push(tc.draw(g::integers(0u8..)));
    }
}

/// A loop of four equal rounds.
fn loop_of(round: &[Value]) -> Vec<Value> {
    let round = [&[Value::Boolean(true)], round].concat();
    [vec![round; 4].concat(), vec![Value::Boolean(false)]].concat()
}

//! The properties that were written once the search for claims was done.

use std::collections::{BTreeSet, HashMap};

use dwindle_engine::prelude::*;

use crate::property::Property;

#[derive(Debug, Clone, Generate)]
enum Step {
    Push(i16),
    Pop,
    Double,
}

#[derive(Debug, Clone, Generate)]
struct Order {
    id: u32,
    parent: Option<u32>,
    weight: f32,
    tags: Vec<bool>,
}

/// All of them.
pub const ALL: &[Property] = &[
    Property {
        name: "product",
        fails: "the product of two numbers exceeds 2^32 - 1",
        traps: &[&[0, 1]],
        holds: |tc| tc.draw(any::<u32>()).checked_mul(tc.draw(any::<u32>())).is_some(),
    },
    Property {
        name: "checksum",
        fails: "the last number is the sum of the two others modulo 256",
        traps: &[&[0], &[1], &[2]],
        holds: |tc| {
            let (a, b, sum): (u8, u8, u8) = (tc.draw(any()), tc.draw(any()), tc.draw(any()));
            a.wrapping_add(b) != sum || sum == 0
        },
    },
    Property {
        name: "far apart",
        fails: "two numbers are more than 1000 apart",
        traps: &[&[0, 1]],
        holds: |tc| {
            let (a, b): (i32, i32) = (tc.draw(any()), tc.draw(any()));
            a.abs_diff(b) <= 1000
        },
    },
    Property {
        name: "longer than said",
        fails: "the list is longer than the number before it",
        traps: &[&[0, 1]],
        holds: |tc| {
            let said: u8 = tc.draw(any());
            tc.draw(any::<Vec<bool>>()).len() <= usize::from(said)
        },
    },
    Property {
        name: "prefix",
        fails: "the second text begins with the first, which is not empty",
        traps: &[&[0], &[1]],
        holds: |tc| {
            let (start, text): (String, String) = (tc.draw(any()), tc.draw(any()));
            start.is_empty() || !text.starts_with(&start)
        },
    },
    Property {
        name: "seldom passes",
        fails: "the number is not 77, and the switch is on",
        traps: &[&[0], &[1]],
        holds: |tc| {
            let number: u16 = tc.draw(any());
            !tc.draw(any::<bool>()) || number == 77
        },
    },
    Property {
        name: "absorbed",
        fails: "a float plus one is the float, and it is finite",
        traps: &[&[0]],
        holds: |tc| {
            let float: f64 = tc.draw(any());
            let _: Option<String> = tc.draw(any());
            !float.is_finite() || float + 1.0 > float
        },
    },
    Property {
        name: "stack below zero",
        fails: "a pop meets an empty stack",
        traps: &[&[0]],
        holds: |tc| {
            let mut stack: Vec<i32> = Vec::new();
            for step in tc.draw(any::<Vec<Step>>()) {
                match step {
                    Step::Push(value) => stack.push(i32::from(value)),
                    Step::Pop => {
                        if stack.pop().is_none() {
                            return false;
                        }
                    }
                    Step::Double => stack.extend(stack.last().copied()),
                }
            }
            true
        },
    },
    Property {
        name: "own parent",
        fails: "an order is its own parent",
        traps: &[&[0]],
        holds: |tc| {
            let orders: Vec<Order> = tc.draw(any());
            let _ = orders.iter().map(|order| order.weight + order.tags.len() as f32).sum::<f32>();
            orders.iter().all(|order| order.parent != Some(order.id))
        },
    },
    Property {
        name: "same value under two keys",
        fails: "two keys of a map have one value above 9",
        traps: &[&[0]],
        holds: |tc| {
            let map: HashMap<u16, u16> = tc.draw(any());
            let above: Vec<u16> = map.values().copied().filter(|value| *value > 9).collect();
            above.iter().collect::<BTreeSet<_>>().len() == above.len()
        },
    },
    Property {
        name: "window",
        fails: "the end of a window lies behind the text and after its start",
        traps: &[&[0], &[1, 2]],
        holds: |tc| {
            let length = tc.draw(g::vec(any::<u8>())).len();
            let start = tc.draw(g::integers(0..50usize));
            let end = tc.draw(g::integers(start..100));
            end <= length || start >= end
        },
    },
    Property {
        name: "bytes with a mark",
        fails: "the bytes begin with a mark, and the version is 2 or more",
        traps: &[&[0], &[1]],
        holds: |tc| {
            let bytes = tc.draw(g::bytes());
            let version: u8 = tc.draw(any());
            !bytes.starts_with(&[0x7F]) || version < 2
        },
    },
    Property {
        name: "nested",
        fails: "some inner list has two elements or more, the first above 50",
        traps: &[&[0]],
        holds: |tc| {
            let lists: Vec<Vec<u8>> = tc.draw(any());
            lists.iter().all(|list| list.len() < 2 || list[0] <= 50)
        },
    },
    Property {
        name: "mostly rejected",
        fails: "the third number is between the two first; those with a greater first are rejected",
        traps: &[&[0, 1], &[2]],
        holds: |tc| {
            let (low, high, at): (u32, u32, u32) = (tc.draw(any()), tc.draw(any()), tc.draw(any()));
            tc.assume(low <= high);
            at < low || high < at
        },
    },
];

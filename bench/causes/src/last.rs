//! The programs that were written after the first version of what looks for causes was whole.

use std::collections::{BTreeSet, VecDeque};

use dwindle_engine::TestCase;
use dwindle_engine::prelude::*;

use crate::program::{Faults, Program};

/// All of them.
pub const ALL: &[Program] = &[
    Program { name: "markup", faults: 6, agrees: markup },
    Program { name: "ring", faults: 6, agrees: ring },
    Program { name: "sets", faults: 5, agrees: sets },
];

#[derive(Clone, Debug, Generate)]
enum Node {
    Text(String),
    Bold(Vec<Node>),
    Link(u8, Box<Node>),
    Break,
}

impl Node {
    fn depth(&self) -> usize {
        match self {
            Node::Text(_) | Node::Break => 1,
            Node::Bold(all) => 1 + all.iter().map(Node::depth).max().unwrap_or(0),
            Node::Link(_, one) => 1 + one.depth(),
        }
    }
    fn is_wrong(&self, in_link: bool, faults: Faults) -> bool {
        match self {
            Node::Text(text) => {
                faults.hit(0, text.contains('<')) || faults.hit(1, in_link && text.is_empty())
            }
            Node::Bold(all) => {
                faults.hit(2, all.len() > 3) || all.iter().any(|one| one.is_wrong(in_link, faults))
            }
            Node::Link(to, one) => {
                faults.hit(3, in_link) || faults.hit(4, *to == 99) || one.is_wrong(true, faults)
            }
            Node::Break => false,
        }
    }
}

fn markup(tc: &mut TestCase, faults: Faults) -> bool {
    let nodes: Vec<Node> = tc.draw(any());
    !(nodes.iter().any(|node| node.is_wrong(false, faults))
        || faults.hit(5, nodes.iter().any(|node| node.depth() > 4)))
}

#[derive(Clone, Debug, Generate)]
enum Ring {
    Push(u8),
    Pop,
    Rotate(u8),
    Resize(u8),
    Peek,
}

fn ring(tc: &mut TestCase, faults: Faults) -> bool {
    let (mut items, mut capacity): (VecDeque<u8>, usize) = (VecDeque::new(), 4);
    let (mut rotated, mut is_wrong) = (false, false);
    for op in tc.draw(any::<Vec<Ring>>()) {
        is_wrong |= match op {
            Ring::Push(item) => {
                let full = items.len() == capacity;
                if full {
                    items.pop_front();
                }
                items.push_back(item);
                faults.hit(0, full) || faults.hit(1, rotated && item == 255)
            }
            Ring::Pop => {
                let was = items.pop_front();
                faults.hit(2, was.is_none() && capacity > 8)
            }
            Ring::Rotate(by) => {
                rotated = true;
                let by = usize::from(by);
                let wrong = faults.hit(3, !items.is_empty() && by == items.len());
                if !items.is_empty() {
                    let len = items.len();
                    items.rotate_left(by % len);
                }
                wrong
            }
            Ring::Resize(to) => {
                let to = usize::from(to % 16);
                let lost = to < items.len();
                items.truncate(to);
                capacity = to.max(1);
                faults.hit(4, lost)
            }
            Ring::Peek => faults.hit(
                5,
                items.front().is_some_and(|front| items.back() == Some(front)) && items.len() > 2,
            ),
        };
    }
    !is_wrong
}

fn sets(tc: &mut TestCase, faults: Faults) -> bool {
    let (left, right): (BTreeSet<u8>, BTreeSet<u8>) = tc.draw(any());
    let both = left.intersection(&right).count();
    !(faults.hit(0, both > 2)
        || faults.hit(1, left == right && !left.is_empty())
        || faults.hit(2, left.len() > right.len() + 5)
        || faults.hit(3, left.first() == Some(&7))
        || faults
            .hit(4, left.last().zip(right.first()).is_some_and(|(a, b)| a < b && right.len() > 2)))
}

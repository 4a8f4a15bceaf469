//! The types of the values in the inputs made for one pass each.

use crate::Generate;

/// A number of eight bits: either the bits themselves, or the bits that differ between two other
/// numbers.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
pub(super) enum Bits {
    These([bool; 8]),
    Differing(Box<Bits>, Box<Bits>),
}

impl Bits {
    pub(super) fn value(&self) -> u8 {
        match self {
            Bits::These(bits) => bits.iter().fold(0, |value, bit| value << 1 | u8::from(*bit)),
            Bits::Differing(left, right) => left.value() ^ right.value(),
        }
    }
}

/// Two numbers or one.
#[derive(Debug, Generate, PartialEq)]
#[dwindle(crate = "dwindle_engine")]
pub(super) enum Part {
    Pair(u8, u8),
    One(u8),
}

/// A boolean or a number.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
pub(super) enum Literal {
    Truth(bool),
    Number(i64),
}

/// Two alternatives with the same content. The later one has a field in front of it.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
pub(super) enum Statement {
    Return(u32, u32),
    Assign { name: u8, value: (u32, u32) },
}

/// Two alternatives, of which the later is shorter.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
pub(super) enum Shape {
    Oblong(u8, u8),
    Square(u8),
}

/// A tree with branches of a fixed number and of any number.
#[derive(Debug, Generate)]
#[dwindle(crate = "dwindle_engine")]
pub(super) enum Tree {
    Leaf(u8),
    Pair(Box<Tree>, Box<Tree>),
    Many(Vec<Tree>),
}

impl Tree {
    pub(super) fn leaves(&self) -> Vec<u8> {
        match self {
            Tree::Leaf(leaf) => vec![*leaf],
            Tree::Pair(left, right) => [left.leaves(), right.leaves()].concat(),
            Tree::Many(trees) => trees.iter().flat_map(Tree::leaves).collect(),
        }
    }

    pub(super) fn pairs(&self) -> usize {
        match self {
            Tree::Leaf(_) => 0,
            Tree::Pair(left, right) => 1 + left.pairs() + right.pairs(),
            Tree::Many(trees) => trees.iter().map(Tree::pairs).sum(),
        }
    }
}

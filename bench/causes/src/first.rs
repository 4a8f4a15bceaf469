//! The programs that were there before the first measurement.

use std::collections::BTreeMap;

use dwindle_engine::TestCase;
use dwindle_engine::prelude::*;

use crate::program::{Faults, Program};

/// All of them.
pub const ALL: &[Program] = &[
    Program { name: "map", faults: 12, agrees: map },
    Program { name: "text buffer", faults: 10, agrees: text },
    Program { name: "simplifier", faults: 10, agrees: simplifier },
    Program { name: "wire format", faults: 10, agrees: wire },
];

#[derive(Clone, Debug, Generate)]
enum Op {
    Insert(u8, u16),
    Remove(u8),
    Get(u8),
    Clear,
    Range(u8, u8),
    Len,
    PopFirst,
    Append(Vec<(u8, u16)>),
    Retain(u16),
}

fn map(tc: &mut TestCase, faults: Faults) -> bool {
    let mut map: BTreeMap<u8, u16> = BTreeMap::new();
    let (mut cleared, mut removed) = (false, None);
    let mut is_wrong = false;
    for op in tc.draw(any::<Vec<Op>>()) {
        let (was_cleared, was_removed) = (cleared, removed);
        (cleared, removed) = (false, None);
        is_wrong |= match op {
            Op::Insert(key, value) => {
                let replaced = map.insert(key, value);
                faults.hit(0, key == 200)
                    || faults.hit(1, replaced.is_some() && value > 1000)
                    || faults.hit(11, was_removed == Some(key))
            }
            Op::Remove(key) => {
                let found = map.remove(&key).is_some();
                removed = Some(key);
                faults.hit(2, found && map.is_empty())
            }
            Op::Get(key) => faults.hit(3, map.get(&key) == Some(&0)),
            Op::Clear => {
                cleared = true;
                let many = map.len() > 3;
                map.clear();
                faults.hit(4, many)
            }
            Op::Range(from, to) => {
                faults.hit(5, from > to && !map.is_empty())
                    || faults.hit(6, from == to && map.contains_key(&from))
            }
            Op::Len => faults.hit(7, map.len() == 5),
            Op::PopFirst => faults.hit(8, map.pop_first().is_some_and(|(key, _)| key >= 128)),
            Op::Append(more) => {
                let is_empty = more.is_empty();
                map.extend(more);
                faults.hit(9, is_empty && was_cleared)
            }
            Op::Retain(least) => {
                let before = map.len();
                map.retain(|_, value| *value >= least);
                faults.hit(10, before >= 2 && map.is_empty())
            }
        };
    }
    !is_wrong
}

#[derive(Clone, Debug, Generate)]
enum Edit {
    Type(String),
    Left(u8),
    Right(u8),
    Backspace,
    Undo,
    Replace(char, char),
    Home,
}

fn text(tc: &mut TestCase, faults: Faults) -> bool {
    let (mut text, mut cursor): (Vec<char>, usize) = (Vec::new(), 0);
    let mut history: Vec<(Vec<char>, usize)> = Vec::new();
    let (mut replaced, mut undone) = (false, false);
    let mut is_wrong = false;
    for edit in tc.draw(any::<Vec<Edit>>()) {
        let (was_replaced, was_undone) = (replaced, undone);
        (replaced, undone) = (false, false);
        let before = (text.clone(), cursor);
        is_wrong |= match edit {
            Edit::Type(typed) => {
                history.push(before);
                let typed: Vec<char> = typed.chars().collect();
                let is_inside = 0 < cursor && cursor < text.len();
                text.splice(cursor..cursor, typed.iter().copied());
                cursor += typed.len();
                faults.hit(0, typed.contains(&'\n')) || faults.hit(8, is_inside && typed.len() > 2)
            }
            Edit::Left(by) => {
                let is_over = usize::from(by) > cursor && !text.is_empty();
                cursor = cursor.saturating_sub(by.into());
                faults.hit(6, is_over && by < 10)
            }
            Edit::Right(by) => {
                cursor = (cursor + usize::from(by)).min(text.len());
                faults.hit(7, by > 0 && before.1 + usize::from(by) == text.len())
            }
            Edit::Backspace => {
                let at_start = cursor == 0 && !text.is_empty();
                if cursor > 0 {
                    history.push(before);
                    cursor -= 1;
                    text.remove(cursor);
                }
                faults.hit(1, at_start)
            }
            Edit::Undo => {
                undone = true;
                let depth = history.len();
                if let Some((old, at)) = history.pop() {
                    (text, cursor) = (old, at);
                }
                faults.hit(2, depth > 3)
                    || faults.hit(3, was_replaced)
                    || faults.hit(9, was_undone && depth >= 2)
            }
            Edit::Replace(from, to) => {
                replaced = true;
                history.push(before);
                let found = text.contains(&from);
                text.iter_mut().filter(|item| **item == from).for_each(|item| *item = to);
                faults.hit(4, !found && text.len() > 1) || faults.hit(5, found && from == to)
            }
            Edit::Home => {
                cursor = 0;
                false
            }
        };
    }
    !is_wrong
}

#[derive(Clone, Debug, PartialEq, Generate)]
enum Expr {
    Const(i16),
    Var(u8),
    Neg(Box<Expr>),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Const(_) | Expr::Var(_) => Vec::new(),
            Expr::Neg(one) => vec![one],
            Expr::Add(one, other) | Expr::Mul(one, other) => vec![one, other],
            Expr::If(condition, yes, no) => vec![condition, yes, no],
        }
    }

    fn depth(&self) -> usize {
        1 + self.children().iter().map(|child| child.depth()).max().unwrap_or(0)
    }

    fn is_wrong(&self, faults: Faults) -> bool {
        use Expr::{Add, Const, If, Mul, Neg, Var};
        let here = match self {
            Add(one, other) => {
                faults.hit(0, matches!((&**one, &**other), (Neg(_), Const(0))))
                    || faults.hit(4, matches!((&**one, &**other), (Var(a), Var(b)) if a == b))
                    || faults.hit(
                        9,
                        matches!((&**one, &**other), (Const(_), Add(first, _))
                            if matches!(**first, Const(_))),
                    )
            }
            Neg(inner) => {
                faults.hit(1, matches!(&**inner, Mul(_, other) if **other == Const(0)))
                    || faults.hit(2, matches!(**inner, Neg(_)))
            }
            Mul(one, other) => match (&**one, &**other) {
                (Const(-1), other) => faults.hit(8, !matches!(other, Const(_))),
                (Const(a), Const(b)) => faults.hit(3, i32::from(*a) * i32::from(*b) > 10_000),
                _ => false,
            },
            If(condition, yes, no) => {
                faults.hit(5, **condition == Const(0)) || faults.hit(6, yes == no)
            }
            Const(_) | Var(_) => false,
        };
        here || self.children().iter().any(|child| child.is_wrong(faults))
    }
}

fn simplifier(tc: &mut TestCase, faults: Faults) -> bool {
    let expr: Expr = tc.draw(any());
    !(expr.is_wrong(faults) || faults.hit(7, expr.depth() >= 5))
}

#[derive(Clone, Debug, Generate)]
struct Frame {
    tag: u8,
    is_urgent: bool,
    is_last: bool,
    payload: Vec<u8>,
}

fn wire(tc: &mut TestCase, faults: Faults) -> bool {
    let frames: Vec<Frame> = tc.draw(any());
    let mut is_wrong = false;
    for (index, frame) in frames.iter().enumerate() {
        let Frame { tag, is_urgent, is_last, payload } = frame;
        let sum = payload.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
        is_wrong |= faults.hit(0, *tag == 0x7f)
            || faults.hit(1, payload.is_empty() && *tag >= 0xF0)
            || faults.hit(2, payload.len() == 6)
            || faults.hit(3, payload.windows(2).any(|pair| pair == [0xFF, 0x00]))
            || faults.hit(4, sum == 77)
            || faults.hit(5, index > 0 && frames[index - 1].tag == *tag && *tag > 0)
            || faults.hit(6, *is_urgent && *is_last && payload.is_empty())
            || faults.hit(7, *is_last && index + 2 < frames.len())
            || faults.hit(8, *is_urgent && payload.len() > 8)
            || faults.hit(9, payload.len() > 2 && usize::from(payload[0]) == payload.len());
    }
    !is_wrong
}

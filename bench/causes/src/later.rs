//! The programs that were made after the search for causes was written.

use dwindle_engine::TestCase;
use dwindle_engine::prelude::*;

use crate::program::{Faults, Program};

/// All of them: two with many faults, six with one, and two with trees.
pub const ALL: &[Program] = &[
    Program { name: "queue", faults: 10, agrees: queue },
    Program { name: "paths", faults: 8, agrees: paths },
    Program { name: "sum of a list", faults: 1, agrees: sum },
    Program { name: "unsorted", faults: 1, agrees: unsorted },
    Program { name: "deep tree", faults: 1, agrees: deep },
    Program { name: "a sign in a text", faults: 1, agrees: sign },
    Program { name: "below zero", faults: 1, agrees: below_zero },
    Program { name: "twice", faults: 1, agrees: twice },
    Program { name: "nested document", faults: 1, agrees: nested },
    Program { name: "formula", faults: 3, agrees: formula },
];

#[derive(Clone, Debug, Generate)]
enum Task {
    Push { priority: u8, cost: u16 },
    Pop,
    Pause,
    Resume,
    Drain(u8),
    Age(u8),
}

fn queue(tc: &mut TestCase, faults: Faults) -> bool {
    let mut tasks: Vec<(u8, u16)> = Vec::new();
    let (mut is_paused, mut pauses) = (false, 0);
    let mut is_wrong = false;
    for task in tc.draw(any::<Vec<Task>>()) {
        is_wrong |= match task {
            Task::Push { priority, cost } => {
                let has_equal = tasks.iter().any(|(other, _)| *other == priority);
                tasks.push((priority, cost));
                faults.hit(0, is_paused && priority == 255)
                    || faults.hit(1, has_equal && priority > 100)
                    || faults.hit(2, cost == 0 && tasks.len() > 2)
            }
            Task::Pop => {
                let at = (0..tasks.len()).max_by_key(|at| tasks[*at].0);
                let popped = at.map(|at| tasks.remove(at));
                faults.hit(3, popped.is_none() && is_paused)
                    || faults.hit(4, popped.is_some_and(|(_, cost)| cost > 60_000))
            }
            Task::Pause => {
                pauses += 1;
                let was_paused = is_paused;
                is_paused = true;
                faults.hit(5, was_paused) || faults.hit(6, pauses == 4)
            }
            Task::Resume => {
                is_paused = false;
                faults.hit(7, pauses == 0 && tasks.len() == 1)
            }
            Task::Drain(count) => {
                let left = tasks.len().saturating_sub(count.into());
                let took = tasks.len() - left;
                tasks.truncate(left);
                faults.hit(8, took > 1 && left == 0)
            }
            Task::Age(by) => {
                let mut is_over = false;
                for (priority, _) in &mut tasks {
                    is_over |= priority.checked_add(by).is_none();
                    *priority = priority.saturating_add(by);
                }
                faults.hit(9, is_over)
            }
        };
    }
    !is_wrong
}

fn paths(tc: &mut TestCase, faults: Faults) -> bool {
    let part = || g::sampled_from(vec!["a", "b", "..", ".", "", "~", "long name"]);
    let parts: Vec<&str> = tc.draw(g::vec(part()));
    let is_absolute: bool = tc.draw(any());
    let depth = |parts: &[&str]| {
        parts.iter().fold(0i32, |depth, part| match *part {
            ".." => depth - 1,
            "." | "" => depth,
            _ => depth + 1,
        })
    };
    let has = |wanted: &[&str]| parts.windows(wanted.len()).any(|window| window == wanted);
    let is_wrong = faults.hit(0, is_absolute && parts.first() == Some(&".."))
        || faults.hit(1, has(&["", ""]))
        || faults.hit(2, has(&["a", "..", "b"]))
        || faults.hit(3, parts.first() == Some(&"~") && !is_absolute)
        || faults.hit(4, has(&["long name", "."]))
        || faults.hit(5, depth(&parts) > 5)
        || faults.hit(6, depth(&parts) < -2)
        || faults.hit(7, parts.last() == Some(&"") && parts.len() > 2 && is_absolute);
    !is_wrong
}

fn sum(tc: &mut TestCase, faults: Faults) -> bool {
    let numbers = tc.draw(g::vec(g::integers(0..200u32)));
    !faults.hit(0, numbers.iter().sum::<u32>() > 500)
}

fn unsorted(tc: &mut TestCase, faults: Faults) -> bool {
    !faults.hit(0, !tc.draw(any::<Vec<u16>>()).is_sorted())
}

#[derive(Clone, Debug, Generate)]
enum Tree {
    Leaf(#[expect(dead_code, reason = "only the form of the tree matters")] u8),
    Node(Box<Tree>, Box<Tree>),
}

impl Tree {
    fn depth(&self) -> usize {
        match self {
            Tree::Leaf(_) => 0,
            Tree::Node(left, right) => 1 + left.depth().max(right.depth()),
        }
    }
}

fn deep(tc: &mut TestCase, faults: Faults) -> bool {
    !faults.hit(0, tc.draw(any::<Tree>()).depth() >= 3)
}

fn sign(tc: &mut TestCase, faults: Faults) -> bool {
    let texts: Vec<String> = tc.draw(any());
    !faults.hit(0, texts.iter().any(|text| text.contains('%')))
}

#[derive(Clone, Debug, Generate)]
enum Move {
    Pay(u8),
    Earn(u8),
}

fn below_zero(tc: &mut TestCase, faults: Faults) -> bool {
    let (mut balance, mut is_wrong) = (100i32, false);
    for step in tc.draw(any::<Vec<Move>>()) {
        match step {
            Move::Pay(amount) => balance -= i32::from(amount),
            Move::Earn(amount) => balance += i32::from(amount),
        }
        is_wrong |= faults.hit(0, balance < 0);
    }
    !is_wrong
}

fn twice(tc: &mut TestCase, faults: Faults) -> bool {
    let numbers: Vec<u8> = tc.draw(any());
    let is_twice = |(at, number): (usize, &u8)| numbers[..at].contains(number);
    !faults.hit(0, numbers.iter().enumerate().any(is_twice))
}

// The last two were written after claims of depth.

#[derive(Clone, Debug, Generate)]
enum Document {
    Null,
    #[expect(dead_code, reason = "only the form of the document matters")]
    Number(i32),
    List(Vec<Document>),
    Record(Vec<(String, Document)>),
}

impl Document {
    fn depth(&self) -> usize {
        let inner = match self {
            Document::Null | Document::Number(_) => None,
            Document::List(all) => all.iter().map(Document::depth).max(),
            Document::Record(all) => all.iter().map(|(_, one)| one.depth()).max(),
        };
        1 + inner.unwrap_or(0)
    }
}

fn nested(tc: &mut TestCase, faults: Faults) -> bool {
    !faults.hit(0, tc.draw(any::<Document>()).depth() > 3)
}

#[derive(Clone, Debug, Generate)]
enum Formula {
    Var(u8),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Any(u8, Box<Formula>),
}

impl Formula {
    fn depth(&self) -> usize {
        match self {
            Formula::Var(_) => 1,
            Formula::Not(one) | Formula::Any(_, one) => 1 + one.depth(),
            Formula::And(one, other) => 1 + one.depth().max(other.depth()),
        }
    }

    fn is_wrong(&self, bound: Option<u8>, faults: Faults) -> bool {
        match self {
            Formula::Var(name) => faults.hit(0, bound == Some(*name) && *name > 9),
            Formula::Not(one) => one.is_wrong(bound, faults),
            Formula::And(one, other) => {
                let is_clash = matches!((&**one, &**other), (Formula::Any(..), Formula::Any(..)));
                faults.hit(1, is_clash)
                    || one.is_wrong(bound, faults)
                    || other.is_wrong(bound, faults)
            }
            Formula::Any(name, one) => one.is_wrong(Some(*name), faults),
        }
    }
}

fn formula(tc: &mut TestCase, faults: Faults) -> bool {
    let formula: Formula = tc.draw(any());
    !(formula.is_wrong(None, faults) || faults.hit(2, formula.depth() > 5))
}

//! Properties whose assumptions reject nearly every case, each with a bug behind the assumptions.

use dwindle::Generate;
use dwindle::prelude::*;

use crate::conditions::LENGTH_MAX;

/// A property with assumptions.
#[derive(Clone, Copy, Debug)]
pub struct Assuming {
    /// Its name in the table.
    pub name: &'static str,
    /// What it assumes, in words.
    pub what: &'static str,
    /// What the bug needs besides, in words.
    pub bug: &'static str,
    /// Draws, rejects what does not fit, and returns whether the case shows the bug.
    pub run: fn(&mut TestCase) -> bool,
}

/// The properties for which learning was written.
pub const FIRST: [Assuming; 4] = [
    Assuming {
        name: "ascending",
        what: "a list of at least 7 `i32`, each greater than the one before",
        bug: "the sum of the ends does not fit",
        run: ascending,
    },
    Assuming {
        name: "brackets",
        what: "at least 4 brackets, balanced",
        bug: "5 levels deep, and depth 0 in between",
        run: brackets,
    },
    Assuming {
        name: "common_divisor",
        what: "two different `u32` with a common divisor of at least 30",
        bug: "the divisor is odd, and the smaller number is at least its triple",
        run: common_divisor,
    },
    Assuming {
        name: "opened_first",
        what: "at least 4 operations on a file, of which the first opens it in one of 64 modes",
        bug: "a write behind a seek beyond 4095, and no close between",
        run: opened_first,
    },
];

/// Properties written after learning was done.
pub const LATER: [Assuming; 4] = [
    Assuming {
        name: "search_tree",
        what: "a binary tree of at least 3 `i8`, in order",
        bug: "4 levels",
        run: search_tree,
    },
    Assuming {
        name: "date",
        what: "a year in 1000..10,000, a month and a day of it, each any `u16`",
        bug: "the last of a month of 30 days",
        run: date,
    },
    Assuming {
        name: "acyclic",
        what: "a graph of at least 15 edges between 8 nodes, without cycles",
        bug: "a path of 5 edges",
        run: acyclic,
    },
    Assuming {
        name: "float_text",
        what: "a text of the characters `0123456789.-e` that is a float with a point and an \
               exponent",
        bug: "nearer to 0 than 1e-9, but not 0",
        run: float_text,
    },
];

fn ascending(tc: &mut TestCase) -> bool {
    let list = tc.draw(g::vec(any::<i32>()).len(..=LENGTH_MAX));
    tc.assume(list.len() >= 7 && list.windows(2).all(|pair| pair[0] < pair[1]));
    list[0].checked_add(list[list.len() - 1]).is_none()
}

/// A bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Generate)]
enum Bracket {
    Open,
    Close,
}

fn brackets(tc: &mut TestCase) -> bool {
    let brackets = tc.draw(g::vec(any::<Bracket>()).len(..=LENGTH_MAX));
    let (mut depth, mut deepest, mut closed) = (0_usize, 0, 0);
    for bracket in &brackets {
        match bracket {
            Bracket::Open => depth += 1,
            Bracket::Close => {
                tc.assume(depth > 0);
                depth -= 1;
                closed += usize::from(depth == 0);
            }
        }
        deepest = deepest.max(depth);
    }
    tc.assume(depth == 0 && brackets.len() >= 4);
    deepest >= 5 && closed >= 2
}

fn common_divisor(tc: &mut TestCase) -> bool {
    let (a, b) = (tc.draw(any::<u32>()), tc.draw(any::<u32>()));
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    tc.assume(a != b && a != 0 && b != 0 && divisor >= 30);
    divisor % 2 == 1 && a.min(b) / divisor >= 3
}

/// What a program does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Generate)]
enum FileOp {
    Read(u16),
    Write(u8),
    Seek(u16),
    Truncate,
    Sync,
    Close,
    Open(u8),
}

fn opened_first(tc: &mut TestCase) -> bool {
    let ops = tc.draw(g::vec(any::<FileOp>()).len(..=LENGTH_MAX));
    tc.assume(ops.len() >= 4 && matches!(ops[0], FileOp::Open(64..128)));
    let mut is_far = false;
    for op in ops {
        match op {
            FileOp::Seek(to) => is_far = to >= 4096,
            FileOp::Close => is_far = false,
            FileOp::Write(_) if is_far => return true,
            _ => {}
        }
    }
    false
}

/// A binary tree.
#[derive(Clone, Debug, Generate)]
enum Tree {
    Leaf,
    Node(Box<Tree>, i8, Box<Tree>),
}

impl Tree {
    /// Appends the numbers from left to right, and returns the number of levels.
    fn walk(&self, numbers: &mut Vec<i8>) -> usize {
        match self {
            Tree::Leaf => 0,
            Tree::Node(left, number, right) => {
                let left = left.walk(numbers);
                numbers.push(*number);
                1 + left.max(right.walk(numbers))
            }
        }
    }
}

fn search_tree(tc: &mut TestCase) -> bool {
    let tree = tc.draw(any::<Tree>());
    let mut numbers = Vec::new();
    let levels = tree.walk(&mut numbers);
    tc.assume(numbers.len() >= 3 && numbers.windows(2).all(|pair| pair[0] < pair[1]));
    levels >= 4
}

fn date(tc: &mut TestCase) -> bool {
    let (year, month, day): (u16, u16, u16) = (tc.draw(any()), tc.draw(any()), tc.draw(any()));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u16::from(is_leap),
        1..=12 => 31,
        _ => 0,
    };
    tc.assume((1000..10_000).contains(&year) && 1 <= day && day <= days);
    days == 30 && day == 30
}

fn acyclic(tc: &mut TestCase) -> bool {
    let node = || g::integers(0..8usize);
    let edges = tc.draw(g::vec((node(), node())).len(..=LENGTH_MAX));
    // The length of the longest path to each node, unless a cycle makes it grow forever.
    let mut longest = [0; 8];
    for _ in 0..8 {
        for (from, to) in &edges {
            longest[*to] = longest[*to].max(longest[*from] + 1);
        }
    }
    let deepest = longest.into_iter().max().unwrap_or(0);
    tc.assume(edges.len() >= 15 && deepest < 8);
    deepest >= 5
}

fn float_text(tc: &mut TestCase) -> bool {
    let text = tc.draw(g::text().alphabet("0123456789.-e").len(..=32));
    let float = text.parse::<f64>();
    tc.assume(text.contains('.') && text.contains('e') && float.is_ok());
    float.is_ok_and(|float| float != 0.0 && float.abs() < 1e-9)
}

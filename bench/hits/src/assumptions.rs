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

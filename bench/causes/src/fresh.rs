//! Programs that were written after equal parts and sums were understood.
//!
//! The ledger and the windows showed that a sum hides failures that do not need it. Nothing was
//! changed for the patterns.

use std::collections::BTreeMap;

use dwindle_engine::TestCase;
use dwindle_engine::prelude::*;

use crate::program::{Faults, Program};

/// All of them.
pub const ALL: &[Program] = &[
    Program { name: "ledger", faults: 7, agrees: ledger },
    Program { name: "patterns", faults: 8, agrees: patterns },
    Program { name: "windows", faults: 7, agrees: windows },
];

#[derive(Clone, Debug, Generate)]
enum Entry {
    Open(u8, u16),
    Pay(u8, u8, u16),
    Close(u8),
    Fee(u8),
    Undo,
}

fn ledger(tc: &mut TestCase, faults: Faults) -> bool {
    let mut accounts: BTreeMap<u8, u32> = BTreeMap::new();
    let mut last = None;
    let mut is_wrong = false;
    for entry in tc.draw(any::<Vec<Entry>>()) {
        let before = last.replace(accounts.clone());
        is_wrong |= match entry {
            Entry::Open(account, amount) => {
                let was_there = accounts.insert(account, amount.into()).is_some();
                faults.hit(0, was_there && amount == 0)
            }
            Entry::Pay(from, to, amount) => {
                let amount = u32::from(amount);
                let has = accounts.get(&from).copied().unwrap_or(0);
                let is_paid = amount > 0 && has >= amount && accounts.contains_key(&to);
                if is_paid {
                    accounts.entry(from).and_modify(|sum| *sum -= amount);
                    accounts.entry(to).and_modify(|sum| *sum += amount);
                }
                faults.hit(1, is_paid && from == to)
                    || faults.hit(2, is_paid && from != to && has == amount)
            }
            Entry::Close(account) => {
                let had = accounts.remove(&account);
                faults.hit(3, had.is_some_and(|sum| sum > 1000))
            }
            Entry::Fee(by) => {
                let is_poor = accounts.values().any(|sum| *sum < by.into());
                for sum in accounts.values_mut() {
                    *sum = sum.saturating_sub(by.into());
                }
                faults.hit(4, is_poor && accounts.len() > 1)
            }
            Entry::Undo => {
                let is_first = before.is_none();
                accounts = before.unwrap_or_default();
                faults.hit(5, is_first)
            }
        };
        is_wrong |= faults.hit(6, accounts.values().sum::<u32>() > 100_000);
    }
    !is_wrong
}

#[derive(Clone, Debug, PartialEq, Generate)]
enum Pattern {
    Any,
    Letter(char),
    Many(Box<Pattern>),
    Both(Box<Pattern>, Box<Pattern>),
    Either(Vec<Pattern>),
    Times(u8, u8, Box<Pattern>),
}

impl Pattern {
    fn size(&self) -> usize {
        1 + match self {
            Pattern::Any | Pattern::Letter(_) => 0,
            Pattern::Many(one) | Pattern::Times(_, _, one) => one.size(),
            Pattern::Both(one, other) => one.size() + other.size(),
            Pattern::Either(all) => all.iter().map(Pattern::size).sum(),
        }
    }

    fn is_wrong(&self, faults: Faults) -> bool {
        match self {
            Pattern::Any => false,
            Pattern::Letter(letter) => faults.hit(0, !letter.is_ascii()),
            Pattern::Many(one) => {
                faults.hit(1, matches!(**one, Pattern::Many(_))) || one.is_wrong(faults)
            }
            Pattern::Both(one, other) => {
                faults.hit(2, matches!((&**one, &**other), (Pattern::Many(a), b) if **a == *b))
                    || one.is_wrong(faults)
                    || other.is_wrong(faults)
            }
            Pattern::Either(all) => {
                faults.hit(3, all.is_empty())
                    || faults.hit(4, all.windows(2).any(|pair| pair[0] == pair[1]))
                    || all.iter().any(|one| one.is_wrong(faults))
            }
            Pattern::Times(from, to, one) => {
                faults.hit(5, from > to)
                    || faults.hit(6, *from == 0 && matches!(**one, Pattern::Both(..)))
                    || one.is_wrong(faults)
            }
        }
    }
}

fn patterns(tc: &mut TestCase, faults: Faults) -> bool {
    let pattern: Pattern = tc.draw(any());
    !(pattern.is_wrong(faults) || faults.hit(7, pattern.size() >= 9))
}

#[derive(Clone, Debug, PartialEq, Generate)]
struct Window {
    x: i16,
    y: i16,
    width: u8,
    height: u8,
    is_modal: bool,
}

impl Window {
    fn right(&self) -> i32 {
        i32::from(self.x) + i32::from(self.width)
    }
}

fn windows(tc: &mut TestCase, faults: Faults) -> bool {
    let windows: Vec<Window> = tc.draw(any());
    let mut is_wrong = false;
    for (index, window) in windows.iter().enumerate() {
        let Window { x, y, width, height, is_modal } = window;
        let above = &windows[index + 1..];
        is_wrong |= faults.hit(0, *width == 0 && *height > 0)
            || faults.hit(1, window.right() > 1920)
            || faults.hit(2, *is_modal && above.iter().any(|other| !other.is_modal))
            || faults.hit(3, above.first() == Some(window) && *width > 0)
            || faults.hit(4, x == y && *x != 0)
            || faults.hit(5, *is_modal && usize::from(*width) == windows.len())
            || faults.hit(6, u16::from(*width) + u16::from(*height) > 400);
    }
    !is_wrong
}

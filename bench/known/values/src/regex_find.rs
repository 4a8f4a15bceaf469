//! regex 1.10.1: the search for a suffix misses matches that begin further left. Fixed in 1.10.2,
//! <https://github.com/rust-lang/regex/issues/1110>, and in 1.13.1,
//! <https://github.com/rust-lang/regex/issues/1354>.
//!
//! A tree. Slow: each run tries the expression on 1093 texts.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use regex::Regex;

/// A character of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "each is its character")]
pub enum Letter {
    A,
    B,
    C,
}

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Expression {
    /// This character.
    Letter(Letter),
    /// Any other character.
    Not(Letter),
    /// One after the other.
    Both(Box<Expression>, Box<Expression>),
    /// The first, or else the second.
    Either(Box<Expression>, Box<Expression>),
    /// Any number, more rather than fewer.
    Many(Box<Expression>),
    /// Zero or one, one rather than zero.
    Maybe(Box<Expression>),
}

use Expression::{Both, Either, Letter as One, Many, Maybe, Not};

/// Trees with more nodes are left out: the model tries all ways to match.
const NODES_MAX: usize = 24;
/// The length of the longest texts.
const LETTERS_MAX: usize = 6;
/// Steps after which the model gives up.
const STEPS_MAX: u32 = 20_000;

/// The model gave up.
struct TooLong;

impl Letter {
    fn character(self) -> char {
        match self {
            Letter::A => 'a',
            Letter::B => 'b',
            Letter::C => 'c',
        }
    }
}

impl Expression {
    fn nodes(&self) -> usize {
        1 + match self {
            One(_) | Not(_) => 0,
            Both(left, right) | Either(left, right) => left.nodes() + right.nodes(),
            Many(body) | Maybe(body) => body.nodes(),
        }
    }

    fn may_be_empty(&self) -> bool {
        match self {
            One(_) | Not(_) => false,
            Both(left, right) => left.may_be_empty() && right.may_be_empty(),
            Either(left, right) => left.may_be_empty() || right.may_be_empty(),
            Many(_) | Maybe(_) => true,
        }
    }

    /// Calls `next` with the ends of matches from `start`, the preferred one first, until it says
    /// that it is satisfied.
    fn matches(
        &self,
        text: &[Letter],
        start: usize,
        steps: &mut u32,
        next: &mut dyn FnMut(usize, &mut u32) -> Result<bool, TooLong>,
    ) -> Result<bool, TooLong> {
        *steps += 1;
        if *steps > STEPS_MAX {
            return Err(TooLong);
        }
        let here = text.get(start);
        match self {
            One(letter) if here == Some(letter) => next(start + 1, steps),
            Not(letter) if here.is_some_and(|here| here != letter) => next(start + 1, steps),
            One(_) | Not(_) => Ok(false),
            Both(left, right) => left.matches(text, start, steps, &mut |middle, steps| {
                right.matches(text, middle, steps, next)
            }),
            Either(left, right) => {
                let is_done = left.matches(text, start, steps, next)?;
                if is_done { Ok(true) } else { right.matches(text, start, steps, next) }
            }
            Maybe(body) => {
                let is_done = body.matches(text, start, steps, next)?;
                if is_done { Ok(true) } else { next(start, steps) }
            }
            Many(body) => {
                let is_done = body.matches(text, start, steps, &mut |end, steps| {
                    self.matches(text, end, steps, next)
                })?;
                if is_done { Ok(true) } else { next(start, steps) }
            }
        }
    }

    /// The leftmost match.
    fn find(&self, text: &[Letter]) -> Result<Option<Range<usize>>, TooLong> {
        let mut steps = 0;
        for start in 0..=text.len() {
            let mut found = 0;
            let is_match = self.matches(text, start, &mut steps, &mut |end, _| {
                found = end;
                Ok(true)
            })?;
            if is_match {
                return Ok(Some(start..found));
            }
        }
        Ok(None)
    }

    /// Whether what repeats always takes a character. What an empty repetition matches differs from
    /// one implementation to the next.
    fn is_clear(&self) -> bool {
        match self {
            One(_) | Not(_) => true,
            Both(left, right) | Either(left, right) => left.is_clear() && right.is_clear(),
            Many(body) | Maybe(body) => !body.may_be_empty() && body.is_clear(),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            One(letter) => write!(f, "{}", letter.character()),
            Not(letter) => write!(f, "[^{}]", letter.character()),
            Both(left, right) => write!(f, "{left}{right}"),
            Either(left, right) => write!(f, "(?:{left}|{right})"),
            Many(body) => write!(f, "(?:{body})*"),
            Maybe(body) => write!(f, "(?:{body})?"),
        }
    }
}

/// In each short text, the leftmost match is the one that trying all ways finds first.
///
/// # Panics
///
/// If it is not.
pub fn check(expression: &Expression) {
    if expression.nodes() > NODES_MAX || !expression.is_clear() {
        return;
    }
    let regex = Regex::new(&expression.to_string()).expect("a small expression");
    let mut texts = vec![Vec::new()];
    while let Some(text) = texts.pop() {
        let Ok(expected) = expression.find(&text) else { return };
        let haystack: String = text.iter().map(|letter: &Letter| letter.character()).collect();
        let found = regex.find(&haystack).map(|found| found.range());
        assert_eq!(found, expected, "in {haystack}");
        if text.len() < LETTERS_MAX {
            let longer = [Letter::A, Letter::B, Letter::C];
            texts.extend(longer.map(|letter| [text.as_slice(), &[letter]].concat()));
        }
    }
}

//! Texts that a regular expression matches.

mod compile;
mod edges;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::Generator;
use crate::alphabet::Alphabet;
use crate::choice::Length;
use crate::misuse::misuse;
use crate::test_case::Alternatives;
use crate::test_case::TestCase;
use crate::trace::Label;

/// Generates texts that `regex` matches from the first to the last character. The syntax is that of
/// the crate [regex](https://docs.rs/regex/latest/regex/#syntax). Two kinds of classes need features
/// of the crate `regex-syntax`: `\p{Age=..}` needs `unicode-age`, and classes of text segmentation
/// such as `\p{Word_Break=..}` need `unicode-segment`.
///
/// A repeated character or class is a text over that alphabet. Short texts are simpler, and the
/// order of characters is that of [`text`](super::text). Any other repetition is a collection. Of
/// several alternatives, the first is the simplest. `^`, `$` and word boundaries are allowed only
/// where their neighbours always fit. Case-insensitive parts (`(?i)`) hold both cases, and upper
/// case is simpler.
///
/// Each thread parses an expression once and keeps the result, for up to 64 expressions. So a
/// target can create the generator where it draws.
///
/// ```
/// use dwindle::prelude::*;
/// # use dwindle_engine as dwindle;
/// # let mut tc = dwindle::internals::Driver::new();
/// # tc.start_bytes(b"dwindle\xFF42\xFF\x02", 10);
///
/// // `aaa0` is the simplest, `dwindle42-beta` another.
/// let name = tc.draw(g::from_regex("[a-z]{3,}[0-9]+(?:-(?:alpha|beta))?"));
/// # assert_eq!(name, "dwindle42-beta");
/// # tc.start_bytes(&[], 10);
/// # assert_eq!(tc.draw(g::from_regex("[a-z]{3,}[0-9]+(?:-(?:alpha|beta))?")), "aaa0");
/// ```
///
/// # Panics
/// If the expression is invalid, if it matches no text, or if it requires bytes that are not text.
/// Also if an assertion (`^`, `$`, `\b` and similar) can fail because of the characters drawn
/// beside it.
#[track_caller]
pub fn from_regex(regex: &str) -> FromRegex {
    match KNOWN.with_borrow(|known| known.get(regex).cloned()) {
        Some(part) => FromRegex { part },
        None => FromRegex { part: read(regex) },
    }
}

/// Maximum expressions that a thread keeps, enough for those that a target contains. A target that
/// builds new expressions each time does not need the old ones.
const KNOWN_MAX: usize = 64;

thread_local! {
    static KNOWN: RefCell<HashMap<Box<str>, Arc<Part>>> = RefCell::new(HashMap::new());
}

#[cold]
#[track_caller]
fn read(regex: &str) -> Arc<Part> {
    let part = match compile::compile(regex) {
        Ok(part) => Arc::new(part),
        Err(reason) => misuse(format_args!("from_regex cannot make texts of {regex:?}: {reason}")),
    };
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(regex.into(), Arc::clone(&part));
    });
    part
}

/// See [`from_regex`].
#[derive(Clone, Debug)]
pub struct FromRegex {
    part: Arc<Part>,
}

impl Generator for FromRegex {
    type Value = String;

    fn generate(&self, tc: &mut TestCase) -> String {
        let mut text = String::new();
        self.part.write(&mut text, tc);
        text
    }

    fn alternatives(&self) -> Option<Alternatives> {
        self.part.alternatives()
    }

    fn generate_alternative(&self, index: usize, tc: &mut TestCase) -> String {
        let mut text = String::new();
        self.part.write_alternative(index, &mut text, tc);
        text
    }
}

/// What a part of an expression draws.
#[derive(Debug)]
enum Part {
    /// A fixed text.
    Literal(Box<str>),
    /// One character.
    Character(Alphabet),
    /// Several characters, all of them in one choice.
    Characters(Alphabet, Length),
    /// All parts, one after the other.
    All(Vec<Part>),
    /// One of the parts.
    One(Vec<Part>),
    /// A collection of texts of the part.
    Repeated(Box<Part>, Length),
}

impl Part {
    fn write(&self, text: &mut String, tc: &mut TestCase) {
        match self {
            Part::Literal(literal) => text.push_str(literal),
            Part::Character(alphabet) => text.push(tc.character(alphabet)),
            Part::Characters(alphabet, length) => text.push_str(&tc.text(*length, alphabet)),
            Part::All(parts) => {
                tc.span(Label::TUPLE, |tc| parts.iter().for_each(|part| part.write(text, tc)));
            }
            Part::One(parts) => one_of(parts).draw(tc, |index, tc| parts[index].write(text, tc)),
            Part::Repeated(part, length) => part.write_repeated(*length, text, tc),
        }
    }

    /// The alternatives of the first choice, if it is an alternative, as for tuples and `one_of`.
    /// Literals draw nothing, so they can stand before it.
    fn alternatives(&self) -> Option<Alternatives> {
        match self {
            Part::One(parts) => Some(one_of(parts)),
            Part::All(parts) => parts
                .iter()
                .find(|part| part.draws())?
                .alternatives()
                .map(|first| Alternatives { label: Label::TUPLE, ..first }),
            _ => None,
        }
    }

    fn write_alternative(&self, index: usize, text: &mut String, tc: &mut TestCase) {
        match self {
            Part::One(parts) => parts[index].write(text, tc),
            Part::All(parts) => {
                let mut chosen = Some(index);
                for part in parts {
                    match chosen.filter(|_| part.draws()) {
                        Some(index) => {
                            part.write_alternative(index, text, tc);
                            chosen = None;
                        }
                        None => part.write(text, tc),
                    }
                }
            }
            _ => self.write(text, tc),
        }
    }

    fn draws(&self) -> bool {
        !matches!(self, Part::Literal(_))
    }

    fn write_repeated(&self, length: Length, text: &mut String, tc: &mut TestCase) {
        let mut repeat = tc.repeat(length);
        match self.alternatives() {
            Some(alternatives) if alternatives.fuse() && length.min != length.max => {
                while let Some(index) = tc.more_alternative(&mut repeat, alternatives) {
                    self.write_alternative(index, text, tc);
                    tc.close_spans(2);
                }
            }
            _ => {
                while tc.more(&mut repeat) {
                    self.write(text, tc);
                    tc.close_span();
                }
            }
        }
    }
}

fn one_of(parts: &[Part]) -> Alternatives {
    Alternatives::equal(parts.len(), Label::ONE_OF)
}

//! Draws choices of the five kinds.
//!
//! Generators draw each kind, so most of these methods are hidden from users.
//!
//! An execution that records nothing decodes its bytes directly. Any other execution takes the
//! choice from its source and records it.

use super::{Alternatives, Source, TestCase};
use crate::alphabet::Alphabet;
use crate::choice::{Choice, Coin, Constraint, FloatRange, IntegerRange, Length, Role, Value};
use crate::integer::Integer;
use crate::misuse::require;
use crate::trace::Label;

impl TestCase {
    /// Draws one integer of `min..=max`.
    ///
    /// # Panics
    /// If `min` is greater than `max`.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    pub fn integer<T: Integer>(&mut self, min: T, max: T) -> T {
        self.spend();
        if self.decode_only {
            T::decode(&mut self.reader, min, max)
        } else {
            self.integer_recorded(min, max, Role::Number)
        }
    }

    /// Draws one integer of `min..=max`, with `towards` as the simplest value.
    ///
    /// Integers nearer to `towards` are simpler. In bytes, `towards` and the integer nearest to 0
    /// change places.
    ///
    /// # Panics
    /// If `min` is greater than `max`.
    #[track_caller]
    pub(crate) fn integer_towards<T: Integer>(&mut self, min: T, max: T, towards: T) -> T {
        self.spend();
        let nearest = T::range(min, max, Role::Number);
        let range = IntegerRange { towards: towards.to_wide(), ..nearest };
        let value = match self.source {
            Source::Bytes => match T::decode(&mut self.reader, min, max).to_wide() {
                value if value == nearest.towards => range.towards,
                value if value == range.towards => nearest.towards,
                value => value,
            },
            Source::Replay => self.replay.integer(&range),
            Source::Random => {
                match self.random.next(&Constraint::Integer(range), &self.trace.choices) {
                    Value::Integer(value) => value,
                    _ => unreachable!("an integer range gives integers"),
                }
            }
        };
        if !self.decode_only {
            self.record(Value::Integer(value), Constraint::Integer(range), ());
        }
        T::from_wide(value)
    }

    /// Draws one of `count` alternatives, counted from 0. The first `leaves` alternatives end a
    /// recursion.
    ///
    /// # Panics
    /// If `count` is 0.
    #[inline]
    #[track_caller]
    pub fn alternative(&mut self, count: usize, leaves: usize) -> usize {
        self.one_of(Alternatives { leaves, ..Alternatives::equal(count, Label::ONE_OF) })
    }

    /// Draws one of the alternatives.
    #[expect(clippy::inline_always, reason = "2 to 5 % of the instructions of small targets")]
    #[inline(always)]
    #[track_caller]
    pub(super) fn one_of(&mut self, alternatives: Alternatives) -> usize {
        require!(alternatives.count > 0, "there must be an alternative to choose");
        self.spend();
        if self.decode_only {
            let place = self.read_place(alternatives);
            return self.taken(place, alternatives);
        }
        self.alternative_recorded(alternatives)
    }

    #[inline]
    fn read_place(&mut self, alternatives: Alternatives) -> usize {
        let places = alternatives.places();
        if places <= 256 {
            usize::from(self.reader.byte()) % places
        } else {
            self.reader.alternative(places)
        }
    }

    /// Draws a coin, which is `true` with the probability that `coin` holds.
    #[doc(hidden)]
    #[inline]
    pub fn coin(&mut self, coin: Coin) -> bool {
        self.spend();
        if self.decode_only {
            return self.reader.coin(coin);
        }
        let constraint = Constraint::Boolean(coin);
        let value = match self.source {
            Source::Bytes => self.reader.coin(coin),
            Source::Replay => self.replay.boolean(coin),
            Source::Random => {
                self.random.next(&constraint, &self.trace.choices) == Value::Boolean(true)
            }
        };
        self.record(Value::Boolean(value), constraint, value)
    }

    /// Draws one float of `range`.
    #[doc(hidden)]
    pub fn float(&mut self, range: &FloatRange) -> f64 {
        self.spend();
        if self.decode_only {
            return self.reader.float(range);
        }
        let constraint = Constraint::Float(*range);
        match self.value(&constraint) {
            Value::Float(value) => self.record(Value::Float(value), constraint, value),
            _ => unreachable!("a float range gives floats"),
        }
    }

    /// Draws a byte string.
    #[doc(hidden)]
    pub fn bytes(&mut self, length: Length) -> Vec<u8> {
        self.spend();
        if self.decode_only {
            return self.reader.string(length);
        }
        let constraint = Constraint::Bytes(length);
        match self.value(&constraint) {
            Value::Bytes(value) => {
                let bytes = value.to_vec();
                self.record(Value::Bytes(value), constraint, bytes)
            }
            _ => unreachable!("a byte string length gives bytes"),
        }
    }

    /// Draws all bytes of the input that are still unread, as they stand, without escapes or a
    /// terminator. When bytes are decoded, every draw after this one gives its simplest value.
    ///
    /// The bytes lie on the heap in exactly their length, so that a sanitizer detects reads beyond
    /// them.
    pub fn rest_of_input(&mut self) -> Box<[u8]> {
        self.spend();
        if self.decode_only {
            return self.reader.take_rest().into();
        }
        let value = match self.source {
            Source::Bytes => self.reader.take_rest().into(),
            Source::Replay => match self.replay.next(&Constraint::Rest) {
                Value::Bytes(value) => value,
                _ => unreachable!("the rest of an input is bytes"),
            },
            Source::Random => match self.random.next(&Constraint::Rest, &[]) {
                Value::Bytes(value) => value,
                _ => unreachable!("the rest of an input is bytes"),
            },
        };
        let bytes = Box::from(&*value);
        self.record(Value::Bytes(value), Constraint::Rest, bytes)
    }

    /// Draws a text over the characters of `alphabet`.
    #[doc(hidden)]
    #[inline]
    pub fn text(&mut self, length: Length, alphabet: &Alphabet) -> String {
        self.spend();
        if self.decode_only {
            self.reader.text(length, alphabet)
        } else {
            self.text_recorded(length, alphabet)
        }
    }

    /// Draws exactly one character of `alphabet`.
    pub(crate) fn character(&mut self, alphabet: &Alphabet) -> char {
        const ONE: Length = Length { min: 1, max: 1 };
        self.spend();
        if self.decode_only {
            return self.reader.character(alphabet);
        }
        let constraint = Constraint::Text(ONE, alphabet.clone());
        match self.value(&constraint) {
            Value::Text(value) => {
                let character = value.chars().next().unwrap_or(alphabet.simplest());
                self.record(Value::Text(value), constraint, character)
            }
            _ => unreachable!("a text length gives text"),
        }
    }

    #[inline(never)]
    #[track_caller]
    fn integer_recorded<T: Integer>(&mut self, min: T, max: T, role: Role) -> T {
        let range = T::range(min, max, role);
        let constraint = Constraint::Integer(range);
        let value = match self.source {
            Source::Bytes => T::decode(&mut self.reader, min, max),
            Source::Replay => T::from_wide(self.replay.integer(&range)),
            Source::Random => match self.random.next(&constraint, &self.trace.choices) {
                Value::Integer(value) => T::from_wide(value),
                _ => unreachable!("an integer range gives integers"),
            },
        };
        self.record(Value::Integer(value.to_wide()), constraint, value)
    }

    #[inline(never)]
    fn alternative_recorded(&mut self, alternatives: Alternatives) -> usize {
        let Alternatives { count, leaves, shares, .. } = alternatives;
        let range = range(alternatives);
        let place = match self.source {
            Source::Bytes => self.read_place(alternatives),
            Source::Replay => shares.place_of(self.replay.integer(&range) as usize),
            Source::Random => self.random.scripted_integer(&range).map_or_else(
                || self.random.place(shares, count, leaves, self.depth),
                |index| shares.place_of(index as usize),
            ),
        };
        let taken = self.taken(place, alternatives);
        self.record(Value::Integer(taken as i128), Constraint::Integer(range), taken)
    }

    #[inline(never)]
    fn text_recorded(&mut self, length: Length, alphabet: &Alphabet) -> String {
        let constraint = Constraint::Text(length, alphabet.clone());
        match self.value(&constraint) {
            Value::Text(value) => {
                let text = value.to_string();
                self.record(Value::Text(value), constraint, text)
            }
            _ => unreachable!("a text length gives text"),
        }
    }

    /// Takes the next value from the source, without recording it.
    fn value(&mut self, constraint: &Constraint) -> Value {
        match self.source {
            Source::Replay => self.replay.next(constraint),
            Source::Random => self.random.next(constraint, &self.trace.choices),
            Source::Bytes => match constraint {
                Constraint::Float(range) => Value::Float(self.reader.float(range)),
                Constraint::Bytes(length) => Value::Bytes(self.reader.string(*length).into()),
                Constraint::Text(length, alphabet) => {
                    Value::Text(self.reader.text(*length, alphabet).into())
                }
                Constraint::Integer(_)
                | Constraint::Boolean(_)
                | Constraint::Rest
                | Constraint::Path => {
                    unreachable!("integers, coins, paths and the rest have ways of their own")
                }
            },
        }
    }

    pub(super) fn record<T>(&mut self, value: Value, constraint: Constraint, drawn: T) -> T {
        let choice = Choice { value, constraint };
        if let Some(follower) = &mut self.follower {
            follower.chose(&choice);
        }
        self.trace.choices.push(choice);
        drawn
    }
}

fn range(alternatives: Alternatives) -> IntegerRange {
    let Alternatives { count, shares, .. } = alternatives;
    let range = match alternatives.places() {
        ..=256 => u8::range(0, (count - 1) as u8, Role::Alternative),
        257..=65536 => u16::range(0, (count - 1) as u16, Role::Alternative),
        _ => u32::range(0, (count - 1) as u32, Role::Alternative),
    };
    IntegerRange { shares, ..range }
}

//! Collections: decides whether one more element follows.

use super::{Alternatives, Source, TestCase};
use crate::choice::{Coin, Constraint, IntegerRange, Length, Role, Value};
use crate::trace::Label;

/// A collection that is being drawn: its length limits and its number of elements so far.
#[derive(Clone, Debug)]
pub struct Repeat {
    length: Length,
    count: usize,
    /// How many elements a random source gives the collection.
    planned: usize,
}

impl TestCase {
    /// Begins a collection of `length` elements. Its span stays open until [`more`](TestCase::more)
    /// returns `false`.
    ///
    /// A generator of your own needs this only if an element depends on those before it.
    ///
    /// ```
    /// use dwindle::generators::Length;
    /// use dwindle::prelude::*;
    /// # use dwindle_engine as dwindle;
    /// # let mut tc = dwindle::internals::Driver::new();
    /// # tc.start_bytes(&[1, 5, 0, 0, 0, 1, 9, 0, 0, 0, 0], 10);
    ///
    /// let ascending = g::from_fn(|tc| {
    ///     let mut numbers: Vec<u32> = Vec::new();
    ///     let mut repeat = tc.repeat(Length { min: 0, max: 10 });
    ///     while tc.more(&mut repeat) {
    ///         let last = numbers.last().copied().unwrap_or(0);
    ///         numbers.push(tc.draw_silent(g::integers(last..)));
    ///         tc.close_span();
    ///     }
    ///     numbers
    /// });
    /// let numbers = tc.draw(ascending);
    /// assert!(numbers.is_sorted());
    /// # assert_eq!(numbers, [5, 9]);
    /// ```
    #[inline]
    pub fn repeat(&mut self, length: Length) -> Repeat {
        if self.decode_only {
            return Repeat { length, count: 0, planned: 0 };
        }
        self.open_span(Label::COLLECTION);
        let planned = if self.source == Source::Random {
            self.random.begin_collection(length, self.depth, self.elements_open())
        } else {
            0
        };
        Repeat { length, count: 0, planned }
    }

    /// Whether one more element follows. `true` opens a span for the element; the caller closes it
    /// after the element. `false` ends the collection.
    #[inline]
    pub fn more(&mut self, repeat: &mut Repeat) -> bool {
        if repeat.count >= repeat.length.max {
            self.close_span();
            return false;
        }
        let forced = repeat.count < repeat.length.min;
        repeat.count += 1;
        if repeat.length.min == repeat.length.max {
            if !self.decode_only {
                self.element_of_fixed_length();
            }
            return true;
        }
        self.spend();
        if self.decode_only {
            return self.reader.more() || forced;
        }
        self.more_recorded(repeat, forced)
    }

    /// Whether one more element follows, and with which of its alternatives (at most 255) it
    /// begins.
    ///
    /// `Some` opens two spans: one for the element and one for the generator of the alternatives.
    /// The caller closes both after the element. `None` ends the collection.
    ///
    /// A collection with only one possible length has no continue choice to fuse. It must use
    /// [`more`](TestCase::more).
    #[doc(hidden)]
    #[inline]
    pub fn more_alternative(
        &mut self,
        repeat: &mut Repeat,
        alternatives: Alternatives,
    ) -> Option<usize> {
        if repeat.count >= repeat.length.max {
            self.close_span();
            return None;
        }
        repeat.count += 1;
        self.spend();
        let element = if self.decode_only {
            usize::from(self.reader.element(alternatives.count as u8))
        } else {
            self.element_recorded(repeat, alternatives)
        };
        match element.checked_sub(1) {
            None if repeat.count > repeat.length.min => None,
            index => Some(index.unwrap_or(0)),
        }
    }

    /// How many elements are open, which is the number of collections around the next element.
    pub(super) fn elements_open(&self) -> usize {
        self.trace
            .open_spans()
            .iter()
            .filter(|span| self.trace.spans[**span as usize].label == Label::ELEMENT)
            .count()
    }

    #[inline(never)]
    fn element_of_fixed_length(&mut self) {
        if self.source == Source::Random {
            let nesting = self.elements_open();
            self.random.end_element(nesting, self.trace.len());
            self.random.begin_element(nesting, &self.trace.choices);
        }
        self.open_span(Label::ELEMENT);
    }

    #[inline(never)]
    fn more_recorded(&mut self, repeat: &Repeat, forced: bool) -> bool {
        let start = self.trace.len();
        let coin = Coin::more(forced);
        let nesting = if self.source == Source::Random { self.elements_open() } else { 0 };
        let more = forced
            | match self.source {
                Source::Bytes => self.reader.more(),
                Source::Random => {
                    self.random.more(coin, repeat.count <= repeat.planned, nesting, start)
                }
                Source::Replay => self.replay.boolean(coin),
            };
        self.record(Value::Boolean(more), Constraint::Boolean(coin), ());
        if more && self.source == Source::Random {
            self.random.begin_element(nesting, &self.trace.choices);
        }
        if more {
            self.open(Label::ELEMENT, start);
        } else {
            self.close(false);
        }
        more
    }

    #[inline(never)]
    fn element_recorded(&mut self, repeat: &Repeat, alternatives: Alternatives) -> usize {
        let Alternatives { count, leaves, label } = alternatives;
        let forced = repeat.count <= repeat.length.min;
        let start = self.trace.len();
        let range = IntegerRange {
            min: i128::from(forced),
            max: count as i128,
            towards: i128::from(forced),
            type_bytes: 1,
            offset: false,
            role: Role::Element,
        };
        let element = match self.source {
            Source::Bytes => usize::from(self.reader.element(count as u8)).max(usize::from(forced)),
            Source::Random => {
                self.random_element(&range, forced || repeat.count <= repeat.planned, alternatives)
            }
            Source::Replay => self.replay.integer(&range) as usize,
        };
        let element = match element.checked_sub(1) {
            Some(index) => self.taken(index, count, leaves) + 1,
            None => 0,
        };
        self.record(Value::Integer(element as i128), Constraint::Integer(range), ());
        if element != 0 {
            self.open(Label::ELEMENT, start);
            self.open(label, start);
        } else {
            self.close(false);
        }
        element
    }

    /// The alternative that the next element begins with, plus 1; or 0 to end the collection.
    fn random_element(
        &mut self,
        range: &IntegerRange,
        planned: bool,
        alternatives: Alternatives,
    ) -> usize {
        let Alternatives { count, leaves, .. } = alternatives;
        let nesting = self.elements_open();
        self.random.end_element(nesting, self.trace.len());
        if let Some(element) = self.random.scripted_integer(range) {
            return element as usize;
        }
        if !planned {
            return 0;
        }
        self.random.begin_element(nesting, &self.trace.choices);
        self.random.scripted_integer(range).map_or_else(
            || self.random.alternative(count, leaves, self.depth) + 1,
            |element| element as usize,
        )
    }
}

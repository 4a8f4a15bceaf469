//! Collections: decides whether one more element follows.

use super::{Alternatives, Source, TestCase};
use crate::choice::{Coin, Constraint, IntegerRange, Length, Role, Value};
use crate::shares::Shares;
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
            match usize::from(self.reader.element(alternatives.places() as u8)).checked_sub(1) {
                Some(place) => self.taken(place, alternatives) + 1,
                None => 0,
            }
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
        let Alternatives { count, label, shares, .. } = alternatives;
        let forced = repeat.count <= repeat.length.min;
        let start = self.trace.len();
        let range = IntegerRange {
            min: i128::from(forced),
            max: count as i128,
            towards: i128::from(forced),
            type_bytes: 1,
            offset: false,
            role: Role::Element,
            shares,
        };
        let drawn = match self.source {
            Source::Bytes => {
                let read = usize::from(self.reader.element(alternatives.places() as u8));
                read.max(usize::from(forced)).checked_sub(1)
            }
            Source::Random => {
                self.random_place(&range, forced || repeat.count <= repeat.planned, alternatives)
            }
            Source::Replay => element_at(shares, self.replay.integer(&range)),
        };
        let element = match drawn {
            Some(place) => self.taken(place, alternatives) + 1,
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

    /// The place of the alternative that the next element begins with. `None` ends the collection.
    fn random_place(
        &mut self,
        range: &IntegerRange,
        planned: bool,
        alternatives: Alternatives,
    ) -> Option<usize> {
        let Alternatives { count, leaves, shares, .. } = alternatives;
        let nesting = self.elements_open();
        self.random.end_element(nesting, self.trace.len());
        if let Some(element) = self.random.scripted_integer(range) {
            return element_at(shares, element);
        }
        if !planned {
            return None;
        }
        self.random.begin_element(nesting, &self.trace.choices);
        match self.random.scripted_integer(range) {
            Some(element) => element_at(shares, element),
            None => Some(self.random.place(shares, count, leaves, self.depth)),
        }
    }
}

/// The first place of the alternative that a recorded element begins with.
fn element_at(shares: Shares, element: i128) -> Option<usize> {
    (element as usize).checked_sub(1).map(|index| shares.place_of(index))
}

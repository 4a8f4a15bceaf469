//! Writes choices, traces and failures without allocating.

use std::marker::PhantomData;

use dwindle_engine::internals::Label;
use dwindle_engine::internals::choice::{Alphabet, Choice, Constraint, Length, Shares, Value};

use super::{ANY, CLOSED, DISCARDED, NEW, OPENED, end};
use crate::execution::Run;
use crate::failure::failed::Failed;
use crate::failure::panics::Place;

/// Writes bytes into a piece of memory, from its beginning to its end.
pub(crate) struct Writer<'a> {
    /// This is a raw pointer and not a reference: another process may read the memory between two
    /// writes.
    memory: *mut u8,
    size: usize,
    at: usize,
    alphabets: Known,
    shares: Known,
    lives: PhantomData<&'a mut [u8]>,
}

// SAFETY: no other writer uses the memory while this one lives.
unsafe impl Send for Writer<'_> {}

/// The addresses of what was written before.
#[derive(Default)]
struct Known {
    all: [usize; KNOWN_MAX],
    count: usize,
}

/// How many alphabets, and how many shares, are written only once.
const KNOWN_MAX: usize = 32;

impl Known {
    /// Its index, if it was written before.
    fn index_of<T>(&mut self, written: &[T]) -> Option<u8> {
        let address = written.as_ptr().addr();
        let known = self.all[..self.count].iter().position(|known| *known == address);
        if known.is_none() && self.count < KNOWN_MAX {
            self.all[self.count] = address;
            self.count += 1;
        }
        known.map(|index| index as u8)
    }
}

impl<'a> Writer<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Writer<'a> {
        // SAFETY: the memory belongs to the slice, for the lifetime of the writer.
        unsafe { Writer::at(bytes.as_mut_ptr(), bytes.len()) }
    }

    /// A writer to memory that other processes may read.
    ///
    /// # Safety
    /// `size` bytes at `memory` are writable, and nothing else writes to them.
    pub(crate) unsafe fn at(memory: *mut u8, size: usize) -> Writer<'a> {
        Writer {
            memory,
            size,
            at: 0,
            alphabets: Known::default(),
            shares: Known::default(),
            lives: PhantomData,
        }
    }

    /// The number of bytes written. `None` if some of them did not fit.
    pub(crate) fn written(&self) -> Option<usize> {
        (self.at <= self.size).then_some(self.at)
    }

    /// Starts again from the beginning.
    pub(crate) fn restart(&mut self) {
        (self.at, self.alphabets.count, self.shares.count) = (0, 0, 0);
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        if let Some(place) = self.reserve(bytes.len()) {
            // SAFETY: the memory has room for these bytes.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        }
    }

    /// The next `N` bytes, if they fit. One bounds check covers several fields that are always
    /// written together.
    fn place<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        // SAFETY: the memory has room for `N` bytes. The reference ends before the next use of the
        // writer.
        self.reserve(N).map(|place| unsafe { &mut *place.cast::<[u8; N]>() })
    }

    /// The place of the next `count` bytes, if they fit. After one write does not fit, none does.
    #[inline]
    fn reserve(&mut self, count: usize) -> Option<*mut u8> {
        let start = self.at;
        self.at = start.saturating_add(count);
        // SAFETY: this many bytes lie within the memory.
        (self.at <= self.size).then(|| unsafe { self.memory.add(start) })
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        if let Some(place) = self.place() {
            *place = [byte];
        }
    }

    pub(crate) fn number(&mut self, number: u64) {
        if let Some(place) = self.place() {
            *place = number.to_le_bytes();
        }
    }

    pub(crate) fn string(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    pub(crate) fn addresses(&mut self, addresses: &[usize]) {
        self.number(addresses.len() as u64);
        for address in addresses {
            self.number(*address as u64);
        }
    }

    /// Writes how a run ended.
    pub(crate) fn run(&mut self, run: &Run) {
        match run {
            Run::Overrun => self.byte(end::OVERRUN),
            Run::Rejected => self.byte(end::REJECTED),
            Run::Passed => self.byte(end::PASSED),
            Run::Failed(failed) => {
                self.byte(end::FAILED);
                self.failed(failed);
            }
            Run::Misused(misuse) => {
                self.byte(end::MISUSED);
                self.string(misuse.0.as_bytes());
            }
        }
    }

    /// Writes a panic. The death of a process has a separate format.
    pub(crate) fn failed(&mut self, failed: &Failed) {
        self.number(failed.id.to_bits());
        self.panic_place(&failed.place);
        self.string(failed.message.as_bytes());
        self.addresses(&failed.addresses);
    }

    /// Writes where a panic occurred.
    pub(crate) fn panic_place(&mut self, place: &Place) {
        self.string(place.file.as_bytes());
        self.number(u64::from(place.line));
        self.number(u64::from(place.column));
    }

    pub(crate) fn values(&mut self, values: &[Value]) {
        self.number(values.len() as u64);
        for value in values {
            self.value(value);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Boolean(value) => self.raw(&[0, u8::from(*value)]),
            Value::Integer(value) => {
                if let Ok(short) = i64::try_from(*value) {
                    if let Some([tag, number @ ..]) = self.place::<9>() {
                        *tag = 1;
                        number.copy_from_slice(&short.to_le_bytes());
                    }
                } else {
                    self.byte(2);
                    self.raw(&value.to_le_bytes());
                }
            }
            Value::Float(value) => {
                self.byte(3);
                self.number(value.to_bits());
            }
            Value::Bytes(value) => {
                self.byte(4);
                self.string(value);
            }
            Value::Text(value) => {
                self.byte(5);
                self.string(value.as_bytes());
            }
        }
    }

    fn constraint(&mut self, constraint: &Constraint) {
        match constraint {
            Constraint::Boolean(coin) => {
                self.raw(&[0, coin.bytes, u8::from(coin.more), coin.forced.map_or(2, u8::from)]);
                self.number(coin.threshold);
            }
            Constraint::Integer(range) => {
                let (tag, ends) = self.tag_of(range.shares);
                if let Some(place) = self.place::<53>() {
                    place[..4].copy_from_slice(&[
                        1,
                        range.type_bytes,
                        u8::from(range.offset),
                        range.role as u8,
                    ]);
                    place[4..20].copy_from_slice(&range.min.to_le_bytes());
                    place[20..36].copy_from_slice(&range.max.to_le_bytes());
                    place[36..52].copy_from_slice(&range.towards.to_le_bytes());
                    place[52] = tag;
                }
                if tag == NEW {
                    self.number(ends.len() as u64);
                    for end in ends {
                        self.raw(&end.to_le_bytes());
                    }
                }
            }
            Constraint::Float(range) => {
                self.raw(&[2, range.type_bytes, u8::from(range.nan)]);
                self.number(range.min.to_bits());
                self.number(range.max.to_bits());
            }
            Constraint::Bytes(length) => {
                self.byte(3);
                self.length(*length);
            }
            Constraint::Text(length, alphabet) => {
                self.byte(4);
                self.length(*length);
                self.alphabet(alphabet);
            }
            Constraint::Rest => self.byte(5),
            Constraint::Path => self.byte(6),
        }
    }

    pub(super) fn length(&mut self, length: Length) {
        self.number(length.min as u64);
        self.number(length.max as u64);
    }

    fn tag_of(&mut self, shares: Shares) -> (u8, &'static [u32]) {
        match shares.ends() {
            [] => (ANY, &[]),
            ends => (self.shares.index_of(ends).unwrap_or(NEW), ends),
        }
    }

    fn alphabet(&mut self, alphabet: &Alphabet) {
        let Some(ranges) = alphabet.ranges() else { return self.byte(ANY) };
        if let Some(known) = self.alphabets.index_of(ranges) {
            return self.byte(known);
        }
        self.byte(NEW);
        self.number(ranges.len() as u64);
        for (first, last) in ranges {
            self.raw(&u32::from(*first).to_le_bytes());
            self.raw(&u32::from(*last).to_le_bytes());
        }
    }

    pub(crate) fn choice(&mut self, choice: &Choice) {
        self.value(&choice.value);
        self.constraint(&choice.constraint);
    }

    /// Writes the opening of a span that begins with the choice at index `start`.
    pub(crate) fn opened(&mut self, label: Label, start: u32) {
        if let Some([tag, numbers @ ..]) = self.place::<13>() {
            *tag = OPENED;
            numbers[..8].copy_from_slice(&label.0.to_le_bytes());
            numbers[8..].copy_from_slice(&start.to_le_bytes());
        }
    }

    /// Writes the closing of the innermost open span.
    pub(crate) fn closed(&mut self, discarded: bool) {
        self.byte(if discarded { DISCARDED } else { CLOSED });
    }
}

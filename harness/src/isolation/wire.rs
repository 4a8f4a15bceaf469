//! Choices, traces and failures as bytes, from one process to another that runs the same program.
//!
//! A [`Writer`] allocates nothing, so that it can write in a signal handler.

use std::sync::Arc;

use dwindle_corpus::{BugId, BugKind};
use dwindle_engine::Trace;
use dwindle_engine::alphabet::Alphabet;
use dwindle_engine::choice::{Choice, Coin, Constraint, FloatRange, IntegerRange, Length, Role, Value};
use dwindle_engine::trace::{Label, Span};

use crate::failure::executor::Failed;

/// Writes from the beginning of a piece of memory as far as that reaches.
pub(crate) struct Writer<'a> {
    bytes: &'a mut [u8],
    at: usize,
    /// The alphabets written before, by where their ranges lie.
    alphabets: [*const (char, char); ALPHABETS],
    alphabets_count: usize,
}

/// How many alphabets are written once only.
const ALPHABETS: usize = 32;
/// Stands before an alphabet that was not written before, and for that of every character.
const NEW: u8 = 0xFE;
const ANY: u8 = 0xFF;

impl<'a> Writer<'a> {
    pub(crate) fn new(bytes: &'a mut [u8]) -> Writer<'a> {
        Writer { bytes, at: 0, alphabets: [std::ptr::null(); ALPHABETS], alphabets_count: 0 }
    }

    /// How much was written; `None` if not all of it found room.
    pub(crate) fn written(&self) -> Option<usize> {
        (self.at <= self.bytes.len()).then_some(self.at)
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let end = self.at.saturating_add(bytes.len());
        if let Some(place) = self.bytes.get_mut(self.at..end) {
            place.copy_from_slice(bytes);
        }
        self.at = end;
    }

    /// The next `N` bytes, if there are so many: one look at what is left for several things that are always written together.
    fn place<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        let start = self.at;
        self.at = start.saturating_add(N);
        self.bytes.get_mut(start..self.at)?.first_chunk_mut()
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

    /// A panic. What kills a process is told otherwise.
    pub(crate) fn failed(&mut self, failed: &Failed) {
        self.number(failed.id.to_bits());
        self.string(failed.location.as_bytes());
        self.string(failed.message.as_bytes());
        self.addresses(&failed.addresses);
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
                if let Some(place) = self.place::<52>() {
                    place[..4].copy_from_slice(&[1, range.type_bytes, u8::from(range.offset), range.role as u8]);
                    place[4..20].copy_from_slice(&range.min.to_le_bytes());
                    place[20..36].copy_from_slice(&range.max.to_le_bytes());
                    place[36..].copy_from_slice(&range.towards.to_le_bytes());
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

    fn length(&mut self, length: Length) {
        self.number(length.min as u64);
        self.number(length.max as u64);
    }

    fn alphabet(&mut self, alphabet: &Alphabet) {
        let Some(ranges) = alphabet.ranges() else { return self.byte(ANY) };
        if let Some(known) = self.alphabets[..self.alphabets_count].iter().position(|known| *known == ranges.as_ptr()) {
            return self.byte(known as u8);
        }
        if self.alphabets_count < ALPHABETS {
            self.alphabets[self.alphabets_count] = ranges.as_ptr();
            self.alphabets_count += 1;
        }
        self.byte(NEW);
        self.number(ranges.len() as u64);
        for (first, last) in ranges {
            self.raw(&u32::from(*first).to_le_bytes());
            self.raw(&u32::from(*last).to_le_bytes());
        }
    }

    /// A trace, the execution of which need not have come to its end: what is open ends with the last choice.
    pub(crate) fn trace(&mut self, trace: &Trace) {
        self.number(trace.choices.len() as u64);
        for choice in &trace.choices {
            self.value(&choice.value);
            self.constraint(&choice.constraint);
        }
        self.number(trace.spans.len() as u64);
        for span in &trace.spans {
            if let Some(place) = self.place::<21>() {
                place[..4].copy_from_slice(&span.start.to_le_bytes());
                place[4..8].copy_from_slice(&span.end.to_le_bytes());
                place[8..12].copy_from_slice(&span.parent.unwrap_or(u32::MAX).to_le_bytes());
                place[12..20].copy_from_slice(&span.label.0.to_le_bytes());
                place[20] = u8::from(span.discarded);
            }
        }
        self.number(trace.open_spans().len() as u64);
        for index in trace.open_spans() {
            self.raw(&index.to_le_bytes());
        }
    }
}

/// Reads what a [`Writer`] wrote. Everything is `None` once something does not fit, as a record may be cut off.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    alphabets: Vec<Alphabet>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, alphabets: Vec::new() }
    }

    fn raw(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.raw(N)?.try_into().ok()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        Some(self.raw(1)?[0])
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn short(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn wide(&mut self) -> Option<i128> {
        self.array().map(i128::from_le_bytes)
    }

    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.raw(usize::try_from(length).ok()?)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        self.string().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// How many things follow, each of which takes a byte at least.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    pub(crate) fn addresses(&mut self) -> Option<Vec<usize>> {
        let count = self.count()?;
        (0..count).map(|_| self.number().map(|address| address as usize)).collect()
    }

    /// A panic.
    pub(crate) fn failed(&mut self) -> Option<Failed> {
        let id = BugId::from_bits(self.number()?);
        let (location, message) = (self.text()?, self.text()?);
        Some(Failed { id, kind: BugKind::Panic, location, message, addresses: self.addresses()? })
    }

    /// Values, put behind those that `values` holds.
    pub(crate) fn values(&mut self, values: &mut Vec<Value>) -> Option<()> {
        for _ in 0..self.count()? {
            values.push(self.value()?);
        }
        Some(())
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.byte()? {
            0 => Value::Boolean(self.byte()? != 0),
            1 => Value::Integer(i128::from(self.number()? as i64)),
            2 => Value::Integer(self.wide()?),
            3 => Value::Float(f64::from_bits(self.number()?)),
            4 => Value::Bytes(self.string()?.into()),
            5 => Value::Text(Arc::from(str::from_utf8(self.string()?).ok()?)),
            _ => return None,
        })
    }

    fn constraint(&mut self) -> Option<Constraint> {
        Some(match self.byte()? {
            0 => {
                let [bytes, more, forced] = self.array()?;
                let forced = [Some(false), Some(true), None].get(usize::from(forced)).copied()?;
                Constraint::Boolean(Coin { threshold: self.number()?, bytes, more: more != 0, forced })
            }
            1 => {
                let [type_bytes, offset, role, numbers @ ..] = self.array::<51>()?;
                let role = [Role::Number, Role::Alternative, Role::Element].get(usize::from(role)).copied()?;
                let [min, max, towards] = [0, 16, 32].map(|at| i128::from_le_bytes(std::array::from_fn(|index| numbers[at + index])));
                Constraint::Integer(IntegerRange { min, max, towards, type_bytes, offset: offset != 0, role })
            }
            2 => {
                let [type_bytes, nan] = self.array()?;
                let (min, max) = (f64::from_bits(self.number()?), f64::from_bits(self.number()?));
                Constraint::Float(FloatRange { min, max, nan: nan != 0, type_bytes })
            }
            3 => Constraint::Bytes(self.length()?),
            4 => Constraint::Text(self.length()?, self.alphabet()?),
            5 => Constraint::Rest,
            6 => Constraint::Path,
            _ => return None,
        })
    }

    fn length(&mut self) -> Option<Length> {
        Some(Length { min: self.number()? as usize, max: self.number()? as usize })
    }

    fn alphabet(&mut self) -> Option<Alphabet> {
        match self.byte()? {
            ANY => Some(Alphabet::ANY),
            NEW => {
                let count = self.count()?;
                let ranges: Option<Vec<(char, char)>> = (0..count).map(|_| Some((char::from_u32(self.short()?)?, char::from_u32(self.short()?)?))).collect();
                let alphabet = Alphabet::new(ranges.filter(|ranges| !ranges.is_empty())?);
                self.alphabets.push(alphabet.clone());
                Some(alphabet)
            }
            known => self.alphabets.get(usize::from(known)).cloned(),
        }
    }

    /// A trace, put in the place of what `trace` holds.
    pub(crate) fn trace(&mut self, trace: &mut Trace) -> Option<()> {
        trace.clear();
        for _ in 0..self.count()? {
            trace.choices.push(Choice { value: self.value()?, constraint: self.constraint()? });
        }
        for _ in 0..self.count()? {
            let [numbers @ .., discarded] = self.array::<21>()?;
            let [start, end, parent] = [0, 4, 8].map(|at| u32::from_le_bytes(std::array::from_fn(|index| numbers[at + index])));
            let label = Label(u64::from_le_bytes(std::array::from_fn(|index| numbers[12 + index])));
            trace.spans.push(Span { start, end, label, parent: Some(parent).filter(|parent| *parent != u32::MAX), discarded: discarded != 0 });
        }
        for _ in 0..self.count()? {
            trace.spans.get_mut(self.short()? as usize)?.end = trace.choices.len() as u32;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwindle_engine::{Generator, TestCase, execute, generators as g};

    fn trace_of(seed: u64) -> Trace {
        let mut tc = TestCase::new();
        tc.start_random(seed, 1000);
        execute(&mut tc, |tc| {
            tc.draw(g::vec((g::booleans(), g::integers(i128::MIN..=i128::MAX), g::integers(3u8..=9), g::floats::<f32>(..))));
            tc.draw(g::vec(g::text()));
            tc.draw(g::vec((g::chars(), g::bytes(), g::weighted(0.3), g::one_of((g::just(1), g::just(2))))));
            tc.draw(g::vec(g::integers(0..10u8)).map(|list| list.len()));
            tc.draw(g::just(9).shrink_with(|number| (0..*number).step_by(3)));
            let more = tc.draw(g::integers(0..4u8));
            // Some end inside a draw, without a panic: others fork beside this test.
            tc.draw(g::from_fn(move |tc| tc.assume(more > 0)));
            tc.draw(g::from_fn(TestCase::rest_of_input));
        });
        let mut trace = Trace::default();
        tc.swap_trace(&mut trace);
        trace
    }

    #[test]
    fn a_trace_comes_through_as_it_was() {
        let mut memory = vec![0; 1 << 20];
        for seed in 0..50 {
            let trace = trace_of(seed);
            let mut writer = Writer::new(&mut memory);
            writer.trace(&trace);
            writer.values(&trace.values());
            let length = writer.written().unwrap();
            let mut reader = Reader::new(&memory[..length]);
            let (mut again, mut values) = (Trace::default(), Vec::new());
            reader.trace(&mut again).unwrap();
            reader.values(&mut values).unwrap();
            assert_eq!(again.choices, trace.choices);
            assert_eq!(again.spans, trace.spans);
            assert_eq!(values, trace.values());
            assert!(reader.bytes.is_empty());
        }
    }

    #[test]
    fn what_has_no_room_is_not_read() {
        let trace = trace_of(1);
        let mut memory = vec![0; 1 << 20];
        let mut writer = Writer::new(&mut memory);
        writer.trace(&trace);
        let length = writer.written().unwrap();
        let mut short = vec![0; length - 1];
        let mut writer = Writer::new(&mut short);
        writer.trace(&trace);
        assert_eq!(writer.written(), None);
        for cut in 0..length {
            assert!(Reader::new(&memory[..cut]).trace(&mut Trace::default()).is_none());
        }
    }
}

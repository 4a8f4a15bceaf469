//! Encodes choices, traces and failures as bytes, for another process that runs the same program.
//!
//! A [`Writer`] allocates nothing, so that it can write in a signal handler.

use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use dwindle_corpus::BugId;
use dwindle_engine::Trace;
use dwindle_engine::alphabet::Alphabet;
use dwindle_engine::choice::{
    Choice, Coin, Constraint, FloatRange, IntegerRange, Length, Role, Value,
};
use dwindle_engine::trace::{Label, Span};

use crate::failure::failed::Failed;
use crate::failure::panics::{Panic, Place};

/// Writes bytes into a piece of memory, from its beginning to its end.
pub(crate) struct Writer<'a> {
    /// This is a raw pointer and not a reference: another process may read the memory between two
    /// writes.
    memory: *mut u8,
    size: usize,
    at: usize,
    /// The addresses of the ranges of the alphabets that were written before.
    alphabets: [usize; ALPHABETS],
    alphabets_count: usize,
    lives: PhantomData<&'a mut [u8]>,
}

// SAFETY: the writer owns its memory, like the slice that it was made of.
unsafe impl Send for Writer<'_> {}

/// The maximum number of alphabets that are written only once.
const ALPHABETS: usize = 32;
/// Comes before an alphabet that was not written before. [`ANY`] is the tag of the alphabet of
/// every character.
const NEW: u8 = 0xFE;
const ANY: u8 = 0xFF;
/// Entries of a record other than choices. The entry of a choice begins with the tag of its value.
const OPENED: u8 = 0x10;
const CLOSED: u8 = 0x11;
const DISCARDED: u8 = 0x12;

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
            alphabets: [0; ALPHABETS],
            alphabets_count: 0,
            lives: PhantomData,
        }
    }

    /// The number of bytes written. `None` if some of them did not fit.
    pub(crate) fn written(&self) -> Option<usize> {
        (self.at <= self.size).then_some(self.at)
    }

    /// Starts again from the beginning.
    pub(crate) fn restart(&mut self) {
        (self.at, self.alphabets_count) = (0, 0);
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        if let Some(place) = self.room(bytes.len()) {
            // SAFETY: the memory has room for these bytes.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        }
    }

    /// The next `N` bytes, if they fit. One bounds check covers several fields that are always
    /// written together.
    fn place<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        // SAFETY: the memory has room for `N` bytes. The reference ends before the next use of the
        // writer.
        self.room(N).map(|place| unsafe { &mut *place.cast::<[u8; N]>() })
    }

    /// The place of the next `count` bytes, if they fit.
    #[inline]
    fn room(&mut self, count: usize) -> Option<*mut u8> {
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
                if let Some(place) = self.place::<52>() {
                    place[..4].copy_from_slice(&[
                        1,
                        range.type_bytes,
                        u8::from(range.offset),
                        range.role as u8,
                    ]);
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
        if let Some(known) = self.alphabets[..self.alphabets_count]
            .iter()
            .position(|known| *known == ranges.as_ptr().addr())
        {
            return self.byte(known as u8);
        }
        if self.alphabets_count < ALPHABETS {
            self.alphabets[self.alphabets_count] = ranges.as_ptr().addr();
            self.alphabets_count += 1;
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

/// Reads the bytes of a [`Writer`]. Each method returns `None` if its bytes do not fit, because a
/// record may be cut off.
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

    /// Reads the number of items that follow. `None` if the rest is too short, because each item
    /// takes at least one byte.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    pub(crate) fn addresses(&mut self) -> Option<Vec<usize>> {
        let count = self.count()?;
        (0..count).map(|_| self.number().map(|address| address as usize)).collect()
    }

    /// Reads a panic.
    pub(crate) fn failed(&mut self, manifest_dir: &Path) -> Option<Failed> {
        let id = BugId::from_bits(self.number()?);
        let (place, message) = (self.panic_place()?, self.text()?);
        Some(
            Failed::of_panic(Panic { message, place, addresses: self.addresses()? }, id)
                .located(manifest_dir),
        )
    }

    /// Reads where a panic occurred.
    pub(crate) fn panic_place(&mut self) -> Option<Place> {
        Some(Place {
            file: self.text()?.into(),
            line: self.number()? as u32,
            column: self.number()? as u32,
        })
    }

    /// Reads values, and appends them to `values`.
    pub(crate) fn values(&mut self, values: &mut Vec<Value>) -> Option<()> {
        for _ in 0..self.count()? {
            values.push(self.value()?);
        }
        Some(())
    }

    fn value(&mut self) -> Option<Value> {
        let tag = self.byte()?;
        self.value_of(tag)
    }

    fn value_of(&mut self, tag: u8) -> Option<Value> {
        Some(match tag {
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
                Constraint::Boolean(Coin {
                    threshold: self.number()?,
                    bytes,
                    more: more != 0,
                    forced,
                })
            }
            1 => {
                let [type_bytes, offset, role, numbers @ ..] = self.array::<51>()?;
                let role = [Role::Number, Role::Alternative, Role::Element]
                    .get(usize::from(role))
                    .copied()?;
                let [min, max, towards] = [0, 16, 32].map(|at| {
                    i128::from_le_bytes(std::array::from_fn(|index| numbers[at + index]))
                });
                Constraint::Integer(IntegerRange {
                    min,
                    max,
                    towards,
                    type_bytes,
                    offset: offset != 0,
                    role,
                })
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
                let range =
                    |_| Some((char::from_u32(self.short()?)?, char::from_u32(self.short()?)?));
                let ranges: Option<Vec<(char, char)>> = (0..count).map(range).collect();
                // `Alphabet::new` panics without a character.
                let alphabet = Alphabet::new(
                    ranges.filter(|ranges| ranges.iter().any(|(first, last)| first <= last))?,
                );
                self.alphabets.push(alphabet.clone());
                Some(alphabet)
            }
            known => self.alphabets.get(usize::from(known)).cloned(),
        }
    }

    /// Reads all remaining bytes as the entries of an execution, and replaces the contents of
    /// `trace` with them. The execution may be incomplete: spans that are still open end with the
    /// last choice.
    pub(crate) fn drawn(&mut self, trace: &mut Trace) -> Option<()> {
        let mut open: Vec<u32> = Vec::new();
        trace.clear();
        while !self.bytes.is_empty() {
            match self.byte()? {
                OPENED => {
                    let label = Label(self.number()?);
                    let start =
                        self.short().filter(|start| *start as usize <= trace.choices.len())?;
                    let parent = open.last().copied();
                    open.push(trace.spans.len() as u32);
                    trace.spans.push(Span { start, end: start, label, parent, discarded: false });
                }
                tag @ (CLOSED | DISCARDED) => {
                    // A target that catches a rejection may close more spans than are open.
                    if let Some(index) = open.pop() {
                        let span = &mut trace.spans[index as usize];
                        (span.end, span.discarded) = (trace.choices.len() as u32, tag == DISCARDED);
                    }
                }
                tag => trace
                    .choices
                    .push(Choice { value: self.value_of(tag)?, constraint: self.constraint()? }),
            }
        }
        for index in open {
            trace.spans[index as usize].end = trace.choices.len() as u32;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use dwindle_engine::{Follower, Generator, TestCase, execute, generators as g};

    use super::*;

    /// All entries that a run publishes, and where each entry ends.
    struct Log {
        writer: Writer<'static>,
        ends: Arc<Mutex<Vec<usize>>>,
    }

    impl Log {
        fn ended(&self) {
            self.ends.lock().unwrap().push(self.writer.written().unwrap());
        }
    }

    impl Follower for Log {
        fn chose(&mut self, choice: &Choice) {
            self.writer.choice(choice);
            self.ended();
        }

        fn opened(&mut self, label: Label, start: u32) {
            self.writer.opened(label, start);
            self.ended();
        }

        fn closed(&mut self, discarded: bool) {
            self.writer.closed(discarded);
            self.ended();
        }
    }

    /// Executes a run. Returns its trace, the bytes that it published, and the ends of their
    /// entries.
    fn run(seed: u64) -> (Trace, &'static [u8], Vec<usize>) {
        const SIZE: usize = 1 << 20;
        let place = Box::leak(vec![0; SIZE].into_boxed_slice()).as_mut_ptr();
        let ends = Arc::default();
        let mut tc = TestCase::new();
        // SAFETY: the memory was leaked, and nothing else writes to it.
        tc.follow(Log { writer: unsafe { Writer::at(place, SIZE) }, ends: Arc::clone(&ends) });
        tc.start_random(seed, 1000);
        execute(&mut tc, |tc| {
            tc.draw(g::vec((
                g::booleans(),
                g::integers(i128::MIN..=i128::MAX),
                g::integers(3u8..=9),
                g::floats::<f32>(..),
            )));
            tc.draw(g::vec(g::text()));
            tc.draw(g::vec((
                g::chars(),
                g::bytes(),
                g::weighted(0.3),
                g::one_of((g::just(1), g::just(2))),
            )));
            tc.draw(g::vec(g::integers(0..10u8)).map(|list| list.len()));
            tc.draw(g::just(9).shrink_with(|number| (0..*number).step_by(3)));
            let more = tc.draw(g::integers(0..4u8));
            // Some runs end inside a draw. They end without a panic, because other tests fork at
            // the same time.
            tc.draw(g::from_fn(move |tc| tc.assume(more > 0)));
            tc.draw(g::from_fn(TestCase::rest_of_input));
        });
        let mut trace = Trace::default();
        tc.swap_trace(&mut trace);
        drop(tc);
        let ends = Arc::into_inner(ends).unwrap().into_inner().unwrap();
        // SAFETY: the writer to this memory is dropped, and the memory was leaked.
        let shown = unsafe { std::slice::from_raw_parts(place, *ends.last().unwrap()) };
        (trace, shown, ends)
    }

    const SEEDS: u64 = if cfg!(miri) { 2 } else { 50 };

    #[test]
    fn a_trace_comes_through_as_it_was() {
        for seed in 0..SEEDS {
            let (trace, shown, _) = run(seed);
            let mut again = Trace::default();
            Reader::new(shown).drawn(&mut again).unwrap();
            assert_eq!(again.choices, trace.choices);
            assert_eq!(again.spans, trace.spans);
            let mut memory = vec![0; 1 << 20];
            let mut writer = Writer::new(&mut memory);
            writer.values(&trace.values());
            let length = writer.written().unwrap();
            let (mut reader, mut values) = (Reader::new(&memory[..length]), Vec::new());
            reader.values(&mut values).unwrap();
            assert_eq!(values, trace.values());
            assert!(reader.bytes.is_empty());
        }
    }

    #[test]
    fn a_run_that_ends_early_is_known_up_to_its_last_entry() {
        let (trace, shown, ends) = run(1);
        let step = if cfg!(miri) { 211 } else { 1 };
        for cut in (0..=shown.len().min(5000)).step_by(step) {
            let mut again = Trace::default();
            let is_read = Reader::new(&shown[..cut]).drawn(&mut again).is_some();
            assert_eq!(is_read, cut == 0 || ends.contains(&cut), "{cut}");
            assert!(
                trace.choices.starts_with(&again.choices) && again.spans.len() <= trace.spans.len()
            );
        }
    }

    #[test]
    fn what_has_no_room_is_not_written() {
        let mut memory = [0; 16];
        let mut writer = Writer::new(&mut memory);
        writer.string(b"12345678");
        assert_eq!(writer.written(), Some(16));
        writer.byte(1);
        assert_eq!(writer.written(), None);
        writer.restart();
        assert_eq!(writer.written(), Some(0));
    }

    #[test]
    fn bytes_that_nothing_wrote_are_no_panic() {
        // Writes an alphabet whose only range is empty, and later a span that begins behind the
        // last choice.
        let mut memory = [0; 64];
        let mut writer = Writer::new(&mut memory);
        writer.raw(&[5, 0, 0, 0, 0, 0, 0, 0, 0, 4]);
        writer.length(Length { min: 0, max: 1 });
        writer.byte(NEW);
        writer.number(1);
        writer.raw(&[2, 0, 0, 0, 1, 0, 0, 0]);
        let length = writer.written().unwrap();
        assert!(Reader::new(&memory[..length]).drawn(&mut Trace::default()).is_none());
        let mut writer = Writer::new(&mut memory);
        writer.opened(Label::DRAW, 1);
        assert!(Reader::new(&memory[..13]).drawn(&mut Trace::default()).is_none());
    }
}

//! What a generator and a target draw from.

use std::fmt::Debug;
use std::panic::resume_unwind;

use crate::alphabet::Alphabet;
use crate::choice::{Choice, Coin, Constraint, FloatRange, IntegerRange, Length, Role, Value};
use crate::codec::ByteReader;
use crate::generators::{Alternatives, Generator};
use crate::integer::Integer;
use crate::outcome::Halt;
use crate::random::Random;
use crate::replay::Replay;
use crate::trace::{Label, Trace};

/// How many choices one execution may make unless told otherwise.
pub const CHOICES_MAX: usize = 65_536;

/// One execution of a target: a source of choices and a record of what was drawn.
///
/// A test case is made once and started anew for each execution, so that its buffers are reused; reading from bytes without a record allocates nothing.
#[derive(Debug, Default)]
pub struct TestCase {
    /// Bytes are read and nothing is recorded: the path a fuzzer takes for nearly every execution.
    decode_only: bool,
    source: Source,
    reader: ByteReader,
    replay: Replay,
    random: Random,
    /// How many choices may still be made; none once the execution was stopped.
    left: usize,
    /// How many generators deep the current draw is.
    nesting: usize,
    /// How many values of recursive types deep the current draw is.
    depth: usize,
    halt: Option<Halt>,
    trace: Trace,
    listener: Option<Listener>,
    bug_key: String,
}

/// Where choices come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Source {
    #[default]
    Bytes,
    Replay,
    Random,
}

/// What is told of draws and notes.
struct Listener(Hear);

type Hear = Box<dyn FnMut(Said<'_>) + Send>;

impl Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Listener")
    }
}

/// Something a listener is told, in the order it happened.
#[derive(Clone, Copy)]
pub enum Said<'a> {
    /// A draw of the target itself, not one inside a generator.
    Draw(&'a dyn Debug),
    /// A note of the target.
    Note(&'a str),
}

/// The least depth of values of recursive types at which only alternatives that end the recursion are left.
pub const DEPTH_MAX: usize = 32;

/// How many values deep a test case is rejected: recursions that nobody told of their leaves end here, before the stack does.
pub const DEPTH_HARD: usize = 4 * DEPTH_MAX;

impl TestCase {
    /// A test case that reads as the empty input until it is started.
    pub fn new() -> TestCase {
        TestCase { left: CHOICES_MAX, ..TestCase::default() }
    }

    /// Starts an execution that reads `input` and records nothing.
    #[inline]
    pub fn start_bytes(&mut self, input: &[u8], choices_max: usize) {
        self.start(Source::Bytes, choices_max);
        self.decode_only = self.listener.is_none();
        self.reader.load(input);
    }

    /// Starts an execution that reads `input` and records what it draws.
    pub fn start_bytes_recorded(&mut self, input: &[u8], choices_max: usize) {
        self.start(Source::Bytes, choices_max);
        self.reader.load(input);
    }

    /// Starts an execution that draws `values`, each made to fit, and past their end the simplest values.
    pub fn start_replay(&mut self, values: &[Value], choices_max: usize) {
        self.start(Source::Replay, choices_max);
        self.replay.load(values);
    }

    /// Starts an execution that draws at random.
    pub fn start_random(&mut self, seed: u64, choices_max: usize) {
        self.start(Source::Random, choices_max);
        self.random = Random::new(seed);
    }

    #[inline]
    fn start(&mut self, source: Source, choices_max: usize) {
        if !self.decode_only {
            self.trace.clear();
        }
        self.decode_only = false;
        self.source = source;
        self.left = choices_max;
        self.nesting = 0;
        self.depth = 0;
        self.halt = None;
        self.bug_key.clear();
    }

    /// Ends the execution: closes spans that unwinding left open, and tells why it was stopped from inside, if it was, even if the target caught the unwinding.
    pub fn finish(&mut self) -> Option<Halt> {
        self.trace.close_all();
        self.halt
    }

    /// What was recorded since the last start.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Exchanges the record with `trace`, so that it can be kept without a copy.
    pub fn swap_trace(&mut self, trace: &mut Trace) {
        std::mem::swap(&mut self.trace, trace);
    }

    /// How many bytes of the input were read, for an execution that read bytes.
    pub fn bytes_consumed(&self) -> usize {
        self.reader.consumed()
    }

    /// Tells `listener` of every draw and note from the next start on, `None` to stop.
    pub fn listen(&mut self, listener: Option<Hear>) {
        self.listener = listener.map(Listener);
    }

    /// The words given to [`bug_key`](TestCase::bug_key) last; empty if none were.
    pub fn current_bug_key(&self) -> &str {
        &self.bug_key
    }

    // What targets use.

    /// Draws a value and shows it in the report of a failure.
    #[inline]
    pub fn draw<G: Generator>(&mut self, generator: G) -> G::Value
    where
        G::Value: Debug,
    {
        let value = self.draw_silent(generator);
        if self.nesting == 0 && self.listener.is_some() {
            self.say(Said::Draw(&value));
        }
        value
    }

    /// Draws a value that reports do not show.
    #[inline]
    pub fn draw_silent<G: Generator>(&mut self, generator: G) -> G::Value {
        // Without a record nobody asks for spans, nor how deep a draw is.
        if self.decode_only { generator.generate(self) } else { self.draw_recorded(&generator) }
    }

    #[inline(never)]
    fn draw_recorded<G: Generator>(&mut self, generator: &G) -> G::Value {
        self.trace.open(Label::DRAW, self.trace.len());
        self.nesting += 1;
        let value = generator.generate(self);
        self.nesting -= 1;
        self.trace.close(false);
        value
    }

    /// Goes on only if `condition` holds; else the test case is rejected.
    #[inline]
    pub fn assume(&mut self, condition: bool) {
        if !condition {
            self.reject();
        }
    }

    /// Ends this execution: the test case is not one the target wants. Neither a pass nor a failure.
    pub fn reject(&mut self) -> ! {
        self.stop(Halt::Rejected)
    }

    /// Shows a line in the report of a failure, between the draws.
    pub fn note(&mut self, note: impl AsRef<str>) {
        if self.listener.is_some() {
            self.say(Said::Note(note.as_ref()));
        }
    }

    /// Sets words that tell failures of this execution from others with the same panic location. The last words given before the failure count.
    pub fn bug_key(&mut self, words: impl AsRef<str>) {
        self.bug_key.clear();
        self.bug_key.push_str(words.as_ref());
    }

    // What generators are made of.

    /// One integer of `min..=max`.
    ///
    /// # Panics
    /// If `min` is greater than `max`.
    #[inline]
    pub fn integer<T: Integer>(&mut self, min: T, max: T) -> T {
        self.spend();
        if self.decode_only { T::decode(&mut self.reader, min, max) } else { self.integer_recorded(min, max, Role::Number) }
    }

    /// One of `count` alternatives, counted from 0. The first `leaves` of them end a recursion.
    ///
    /// # Panics
    /// If `count` is 0.
    #[inline]
    pub fn alternative(&mut self, count: usize, leaves: usize) -> usize {
        debug_assert!(count > 0, "there must be an alternative to choose");
        self.spend();
        if self.decode_only {
            return if count <= 256 { usize::from(self.reader.byte()) % count } else { self.reader.alternative(count) };
        }
        self.alternative_recorded(count, leaves)
    }

    /// A coin that is `true` with the probability it was made for.
    #[inline]
    pub fn coin(&mut self, coin: Coin) -> bool {
        self.spend();
        if self.decode_only {
            return self.reader.coin(coin);
        }
        let constraint = Constraint::Boolean(coin);
        match self.value(&constraint) {
            Value::Boolean(value) => self.record(Value::Boolean(value), constraint, value),
            _ => unreachable!("a coin gives booleans"),
        }
    }

    /// One float of `range`.
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

    /// A byte string.
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

    /// A text over the characters of `alphabet`.
    #[inline]
    pub fn text(&mut self, length: Length, alphabet: &Alphabet) -> String {
        self.spend();
        if self.decode_only { self.reader.text(length, alphabet) } else { self.text_recorded(length, alphabet) }
    }

    /// A text of exactly one character of `alphabet`.
    pub fn character(&mut self, alphabet: &Alphabet) -> char {
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

    /// Opens a span: the choices made until it is closed belong together.
    #[inline]
    pub fn open_span(&mut self, label: Label) {
        if !self.decode_only {
            self.trace.open(label, self.trace.len());
        }
    }

    /// Closes the span opened last.
    #[inline]
    pub fn close_span(&mut self) {
        if !self.decode_only {
            self.trace.close(false);
        }
    }

    /// Closes the span opened last and says that what it drew was thrown away.
    #[inline]
    pub fn discard_span(&mut self) {
        if !self.decode_only {
            self.trace.close(true);
        }
    }

    /// Runs `generate` in a span of its own.
    #[inline]
    pub fn span<T>(&mut self, label: Label, generate: impl FnOnce(&mut TestCase) -> T) -> T {
        self.open_span(label);
        let value = generate(self);
        self.close_span();
        value
    }

    /// Runs `generate` one level deeper in a recursive type. More than [`DEPTH_HARD`] levels deep, the test case is rejected.
    #[inline]
    pub fn deeper<T>(&mut self, generate: impl FnOnce(&mut TestCase) -> T) -> T {
        if self.depth >= DEPTH_HARD {
            self.reject();
        }
        self.depth += 1;
        let value = generate(self);
        self.depth -= 1;
        value
    }

    /// Whether a recursive type has to come to its end here.
    #[inline]
    pub fn too_deep(&self) -> bool {
        self.depth >= DEPTH_MAX
    }

    /// Begins a collection of `length` elements.
    #[inline]
    pub fn repeat(&mut self, length: Length) -> Repeat {
        let planned = if self.source == Source::Random { self.random.length(length, self.depth) } else { 0 };
        Repeat { length, count: 0, planned }
    }

    /// Whether one more element follows; if so, a span for it is open, to be closed behind the element.
    #[inline]
    pub fn more(&mut self, repeat: &mut Repeat) -> bool {
        if repeat.count >= repeat.length.max {
            return false;
        }
        let forced = repeat.count < repeat.length.min;
        repeat.count += 1;
        if repeat.length.min == repeat.length.max {
            self.open_span(Label::ELEMENT);
            return true;
        }
        self.spend();
        if self.decode_only {
            return self.reader.more() || forced;
        }
        self.more_recorded(repeat, forced)
    }

    /// Whether one more element follows, and with which of its alternatives (at most 255) it begins; if so, two spans are open, to be closed
    /// behind the element: one for the element and one for what the alternatives belong to.
    ///
    /// A collection of one possible length has no choice to fuse: it must use [`more`](TestCase::more).
    #[inline]
    pub fn more_alternative(&mut self, repeat: &mut Repeat, alternatives: Alternatives) -> Option<usize> {
        if repeat.count >= repeat.length.max {
            return None;
        }
        let forced = repeat.count < repeat.length.min;
        repeat.count += 1;
        self.spend();
        let element =
            if self.decode_only { usize::from(self.reader.element(alternatives.count as u8)) } else { self.element_recorded(repeat, forced, alternatives) };
        if element == 0 && !forced { None } else { Some(element.saturating_sub(1)) }
    }

    /// Takes one choice off what is left.
    #[inline]
    fn spend(&mut self) {
        if self.left == 0 {
            self.refuse();
        }
        self.left -= 1;
    }

    #[cold]
    fn refuse(&mut self) -> ! {
        self.stop(Halt::Overrun)
    }

    #[cold]
    fn stop(&mut self, halt: Halt) -> ! {
        // The first reason counts, whatever a target that caught the unwinding does then.
        let halt = *self.halt.get_or_insert(halt);
        self.left = 0;
        // Past the panic hook: stopping is not an error.
        resume_unwind(Box::new(halt))
    }

    #[cold]
    fn say(&mut self, said: Said<'_>) {
        if let Some(Listener(listener)) = &mut self.listener {
            listener(said);
        }
    }

    #[cold]
    #[inline(never)]
    fn integer_recorded<T: Integer>(&mut self, min: T, max: T, role: Role) -> T {
        let constraint = Constraint::Integer(T::range(min, max, role));
        let value = if self.source == Source::Bytes { T::decode(&mut self.reader, min, max) } else { T::from_wide(self.wide(&constraint)) };
        self.record(Value::Integer(value.to_wide()), constraint, value)
    }

    #[inline(never)]
    fn alternative_recorded(&mut self, count: usize, leaves: usize) -> usize {
        if self.source == Source::Random {
            let value = self.random.alternative(count, leaves, self.depth);
            return self.record(Value::Integer(value as i128), Constraint::Integer(alternatives(count)), value);
        }
        match count {
            ..=256 => usize::from(self.integer_recorded(0, (count - 1) as u8, Role::Alternative)),
            257..=65536 => usize::from(self.integer_recorded(0, (count - 1) as u16, Role::Alternative)),
            _ => self.integer_recorded(0, (count - 1) as u32, Role::Alternative) as usize,
        }
    }

    #[inline(never)]
    fn more_recorded(&mut self, repeat: &Repeat, forced: bool) -> bool {
        let start = self.trace.len();
        let constraint = Constraint::Boolean(Coin::more(forced));
        let more = forced
            | match self.source {
                Source::Bytes => self.reader.more(),
                Source::Random => repeat.count <= repeat.planned,
                Source::Replay => self.replay.next(&constraint) == Value::Boolean(true),
            };
        self.record(Value::Boolean(more), constraint, ());
        if more {
            self.trace.open(Label::ELEMENT, start);
        }
        more
    }

    #[inline(never)]
    fn element_recorded(&mut self, repeat: &Repeat, forced: bool, alternatives: Alternatives) -> usize {
        let Alternatives { count, leaves, label } = alternatives;
        let start = self.trace.len();
        let range =
            IntegerRange { min: i128::from(forced), max: count as i128, towards: i128::from(forced), type_bytes: 1, offset: false, role: Role::Element };
        let constraint = Constraint::Integer(range);
        let element = match self.source {
            Source::Bytes => usize::from(self.reader.element(count as u8)).max(usize::from(forced)),
            Source::Random if repeat.count <= repeat.planned => self.random.alternative(count, leaves, self.depth) + 1,
            Source::Random => 0,
            Source::Replay => self.wide(&constraint) as usize,
        };
        self.record(Value::Integer(element as i128), constraint, ());
        if element != 0 {
            self.trace.open(Label::ELEMENT, start);
            self.trace.open(label, start);
        }
        element
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

    fn wide(&mut self, constraint: &Constraint) -> i128 {
        match self.value(constraint) {
            Value::Integer(value) => value,
            _ => unreachable!("an integer range gives integers"),
        }
    }

    /// The next value from whichever source, not yet recorded.
    fn value(&mut self, constraint: &Constraint) -> Value {
        match self.source {
            Source::Replay => self.replay.next(constraint),
            Source::Random => self.random.next(constraint, &self.trace.choices),
            Source::Bytes => match constraint {
                Constraint::Boolean(coin) => Value::Boolean(self.reader.coin(*coin)),
                Constraint::Float(range) => Value::Float(self.reader.float(range)),
                Constraint::Bytes(length) => Value::Bytes(self.reader.string(*length).into()),
                Constraint::Text(length, alphabet) => Value::Text(self.reader.text(*length, alphabet).into()),
                Constraint::Integer(_) => unreachable!("integers are decoded in their own width"),
            },
        }
    }

    fn record<T>(&mut self, value: Value, constraint: Constraint, drawn: T) -> T {
        self.trace.choices.push(Choice { value, constraint });
        drawn
    }
}

fn alternatives(count: usize) -> IntegerRange {
    match count {
        ..=256 => u8::range(0, (count - 1) as u8, Role::Alternative),
        257..=65536 => u16::range(0, (count - 1) as u16, Role::Alternative),
        _ => u32::range(0, (count - 1) as u32, Role::Alternative),
    }
}

/// A collection being drawn: how many elements it may have and how many it got.
#[derive(Clone, Debug)]
pub struct Repeat {
    length: Length,
    count: usize,
    /// How many elements a random source gives it.
    planned: usize,
}

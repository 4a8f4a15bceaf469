//! The record of one execution. Its buffers are reused from run to run.

use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

use crate::choice::{Choice, Constraint, Value};

/// The choices in the order they were made, and their spans in the order they were opened.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Every choice of the execution.
    pub choices: Vec<Choice>,
    /// Every span of the execution. An outer span stands before its inner spans.
    pub spans: Vec<Span>,
    open: Vec<u32>,
}

/// The choices inside one labelled draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of the first choice.
    pub start: u32,
    /// Index after the last choice.
    pub end: u32,
    /// What was drawn.
    pub label: Label,
    /// The index in [`Trace::spans`] of the span around this one.
    pub parent: Option<u32>,
    /// Whether the value was discarded, for example by a filter.
    pub discarded: bool,
}

impl Span {
    /// The choices, as indices into [`Trace::choices`].
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many choices the span holds.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span holds no choice.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// What a span stands for. Spans with the same label hold values of the same shape.
///
/// A generator of your own needs a label if it opens spans:
/// `const NODE: Label = Label::of("my::Node");`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(#[doc(hidden)] pub u64);

/// The labels of the engine.
#[doc(hidden)]
impl Label {
    /// A whole collection.
    pub const COLLECTION: Label = Label(2);
    /// One element, with the continue choice before it.
    pub const ELEMENT: Label = Label(3);
    /// One attempt of a filter.
    pub const ATTEMPT: Label = Label(4);
    /// One of several generators.
    pub const ONE_OF: Label = Label(5);
    /// A tuple or an array with all its parts.
    pub const TUPLE: Label = Label(6);
    /// A function: its default result, then the results of single arguments.
    pub const FUNCTION: Label = Label(7);
    /// A value, and its path along the shrinks given for it.
    pub const SHRINKS: Label = Label(8);
    /// The choice between two generators, and the values of both.
    pub const CHOOSE: Label = Label(9);
    /// The value of one of these two generators.
    pub const BRANCH: Label = Label(10);
}

impl Label {
    /// A label of your own, from its name. Different names give different labels.
    pub const fn of(name: &str) -> Label {
        // FNV-1a, because this function must run in constants.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let bytes = name.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        Label(hash | 1 << 63)
    }

    /// The label of one draw of a target or a generator: its place in the source. So the same
    /// draws of all rounds of a loop have one label.
    #[inline]
    pub(crate) fn of_draw(place: &Location<'_>) -> Label {
        let (line, column) = (u64::from(place.line()), u64::from(place.column()));
        let place = (place.file().len() as u64) << 48 | line << 16 | (column & 0xFFFF);
        Label((place & ((1 << 62) - 1)) | 1 << 62)
    }

    /// Whether this is the label of a draw.
    pub(crate) fn is_draw(self) -> bool {
        self.0 >> 62 == 1
    }

    /// Whether this is the label of a draw, or of a value whose generator is a function. Inside, a
    /// loop may draw rounds without spans.
    pub(crate) fn is_written_out(self) -> bool {
        self.is_draw() || self.0 >> 61 == 1
    }

    /// The label of a value whose generator is a function: its type.
    pub(crate) fn of_type<T>() -> Label {
        // The name has up to hundreds of bytes and is hashed in each recorded draw, so this takes
        // eight at a time.
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        let (words, rest) = std::any::type_name::<T>().as_bytes().as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let mix = |hash: u64, word: &[u8; 8]| {
            (hash.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR)
        };
        let hash = words.iter().chain([&last]).fold(rest.len() as u64, mix);
        Label(((hash ^ (hash >> 32)) >> 3) | 1 << 61)
    }
}

impl Trace {
    /// How many choices the execution made.
    pub fn len(&self) -> usize {
        self.choices.len()
    }

    /// Whether the execution made no choice.
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    /// The raw input, if the execution drew all of it in one choice and made no other choice.
    pub fn raw_input(&self) -> Option<&Arc<[u8]>> {
        match &self.choices[..] {
            [Choice { value: Value::Bytes(bytes), constraint: Constraint::Rest }] => Some(bytes),
            _ => None,
        }
    }

    /// Turns this into the trace of an execution whose only draw is the raw `input`. The shrinker
    /// has its passes for raw inputs with this feature only.
    #[cfg(feature = "fuzzing")]
    pub fn set_raw_input(&mut self, input: impl Into<Arc<[u8]>>) {
        self.clear();
        self.choices
            .push(Choice { value: Value::Bytes(input.into()), constraint: Constraint::Rest });
    }

    /// The values without their constraints, as a replay takes them.
    pub fn values(&self) -> Vec<Value> {
        self.choices.iter().map(|choice| choice.value.clone()).collect()
    }

    /// The indices of the spans that are still open, an outer span first. An interrupted execution
    /// leaves them open.
    pub fn open_spans(&self) -> &[u32] {
        &self.open
    }

    /// Clears the trace and keeps its buffers.
    pub fn clear(&mut self) {
        self.choices.clear();
        self.spans.clear();
        self.open.clear();
    }

    pub(crate) fn open(&mut self, label: Label, start: usize) {
        self.open.push(self.spans.len() as u32);
        let parent = self.open.iter().rev().nth(1).copied();
        self.spans.push(Span {
            start: start as u32,
            end: start as u32,
            label,
            parent,
            discarded: false,
        });
    }

    pub(crate) fn close(&mut self, discarded: bool) {
        // A target that catches a rejection may close more spans than are open. This is harmless,
        // because the run is over.
        if let Some(index) = self.open.pop() {
            let end = self.choices.len() as u32;
            let span = &mut self.spans[index as usize];
            span.end = end;
            span.discarded = discarded;
        }
    }
}

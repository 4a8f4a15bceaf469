//! What one execution recorded. Its buffers are reused from run to run.

use std::ops::Range;
use std::sync::Arc;

use crate::choice::{Choice, Constraint, Value};

/// Choices in the order they were made, and the spans over them in the order they were opened.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Every choice made.
    pub choices: Vec<Choice>,
    /// Every span opened; an outer span stands before the spans inside it.
    pub spans: Vec<Span>,
    open: Vec<u32>,
}

/// The choices made inside one labelled draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of the first choice.
    pub start: u32,
    /// Index behind the last choice.
    pub end: u32,
    /// What was drawn.
    pub label: Label,
    /// The span around this one, an index into [`Trace::spans`].
    pub parent: Option<u32>,
    /// Whether what was drawn was thrown away (a filter said no).
    pub discarded: bool,
}

impl Span {
    /// The choices, as indices into [`Trace::choices`].
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many choices.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether nothing was drawn inside.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// What a span stands for: spans with one label hold values of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u64);

impl Label {
    /// One draw of the target.
    pub const DRAW: Label = Label(1);
    /// A whole collection.
    pub const COLLECTION: Label = Label(2);
    /// One element with the continue choice in front of it.
    pub const ELEMENT: Label = Label(3);
    /// One attempt of a filter.
    pub const ATTEMPT: Label = Label(4);
    /// One of several generators.
    pub const ONE_OF: Label = Label(5);
    /// A tuple or an array, all parts of it.
    pub const TUPLE: Label = Label(6);
    /// A function: the result of most arguments, then those of the others.
    pub const FUNCTION: Label = Label(7);
    /// A value and how far it went along the shrinks given for it.
    pub const SHRINKS: Label = Label(8);
    /// Which of two generators is used, and what both made.
    pub const CHOOSE: Label = Label(9);
    /// What one of two such generators made.
    pub const BRANCH: Label = Label(10);

    /// A label of your own, by name. Two names give two labels.
    pub const fn of(name: &str) -> Label {
        // FNV-1a: it has to run in constants.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let bytes = name.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        Label(hash | 1 << 63)
    }
}

impl Trace {
    /// How many choices were made.
    pub fn len(&self) -> usize {
        self.choices.len()
    }

    /// Whether no choice was made.
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    /// The input as it stands, if that is all that was drawn.
    pub fn raw_input(&self) -> Option<&Arc<[u8]>> {
        match &self.choices[..] {
            [Choice { value: Value::Bytes(bytes), constraint: Constraint::Rest }] => Some(bytes),
            _ => None,
        }
    }

    /// Makes it the trace of an execution that draws `input` as it stands, and nothing else.
    pub fn set_raw_input(&mut self, input: impl Into<Arc<[u8]>>) {
        self.clear();
        self.choices.push(Choice { value: Value::Bytes(input.into()), constraint: Constraint::Rest });
    }

    /// The values alone, as a replay takes them.
    pub fn values(&self) -> Vec<Value> {
        self.choices.iter().map(|choice| choice.value.clone()).collect()
    }

    /// The spans that are still open, as indices, an outer one first: those that an execution was in when it was cut short.
    pub fn open_spans(&self) -> &[u32] {
        &self.open
    }

    /// Forgets everything but the buffers.
    pub fn clear(&mut self) {
        self.choices.clear();
        self.spans.clear();
        self.open.clear();
    }

    pub(crate) fn open(&mut self, label: Label, start: usize) {
        self.open.push(self.spans.len() as u32);
        let parent = self.open.iter().rev().nth(1).copied();
        self.spans.push(Span { start: start as u32, end: start as u32, label, parent, discarded: false });
    }

    pub(crate) fn close(&mut self, discarded: bool) {
        // A target that catches a rejection may close more than is open; that run is over anyway.
        if let Some(index) = self.open.pop() {
            let end = self.choices.len() as u32;
            let span = &mut self.spans[index as usize];
            span.end = end;
            span.discarded = discarded;
        }
    }
}

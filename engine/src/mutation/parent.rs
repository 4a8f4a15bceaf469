//! The parts of one input.

use std::ops::Range;

use super::{Bytes, Bytewise, byte_list};
use crate::choice::{Choice, Constraint, Role};
use crate::codec::encode_choice;
use crate::trace::{Label, Trace};

/// An input with more choices is mutated by bytes only.
const CHOICES_MAX: usize = 4096;

/// Says which parts can take each other's place: parts with one key are the same draw of the same
/// place in the source, at any depth of a recursive value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(u64);

impl Key {
    fn mixed(self, word: u64) -> Key {
        let mixed = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Key(mixed ^ (mixed >> 29))
    }
}

/// A choice or a span of an input.
#[derive(Clone, Debug)]
pub(super) struct Part {
    start: u32,
    end: u32,
    pub(super) key: Key,
    pub(super) kind: Kind,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A choice of a fixed number of bytes.
    Number,
    /// A text.
    Text,
    /// A byte string with escapes.
    Bytes,
    /// Bytes as they stand.
    Raw,
    /// An element of a collection with the continue choice before it, or one of several draws in a
    /// row from the same place, which a loop makes.
    Element,
    /// Any other span.
    Span,
}

impl Part {
    /// The bytes of the part.
    pub(super) fn place(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// An input that was run, with its parts.
#[derive(Debug)]
pub struct Parent {
    bytes: Bytes,
    parts: Vec<Part>,
    /// Collections of single bytes: where their bytes are.
    byte_lists: Vec<Range<usize>>,
}

impl Parent {
    /// Takes the parts of an input from the record of its run. `None` if the target takes the
    /// input as it stands, if the input has too many choices, or if its only choice is no text and
    /// no byte string: the fuzzer's own mutations change the bytes of a single choice.
    pub fn of(trace: &Trace) -> Option<Parent> {
        let is_string = |choice: &Choice| {
            matches!(choice.constraint, Constraint::Text(..) | Constraint::Bytes(_))
        };
        let is_plain = trace.len() < 2 && !trace.choices.iter().any(is_string);
        if is_plain || trace.len() > CHOICES_MAX || trace.raw_input().is_some() {
            return None;
        }
        let mut bytes = Vec::new();
        let mut places = Vec::with_capacity(trace.len() + 1);
        for choice in &trace.choices {
            places.push(bytes.len() as u32);
            encode_choice(choice, &mut bytes);
        }
        places.push(bytes.len() as u32);
        let parts = parts(trace, &places);
        let byte_lists = byte_lists(trace, &places);
        (!parts.is_empty()).then(|| Parent { bytes: bytes.into(), parts, byte_lists })
    }

    /// How many bytes of memory the parts take, about.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.parts.len() * size_of::<Part>()
    }

    pub(super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Applies the fuzzer's own mutation to an input that comes from this one. If the whole input
    /// is a collection of single bytes, the mutation sees these side by side, and keeps at most
    /// `max` encoded bytes. Otherwise, or if `max` is too small for an element, returns `None`.
    pub fn mutated_list(
        &self,
        input: &[u8],
        max: usize,
        bytewise: Bytewise<'_>,
    ) -> Option<Vec<u8>> {
        let is_list = matches!(&self.byte_lists[..], [place] if *place == (0..self.bytes.len()));
        if is_list { byte_list::mutated(input, max, bytewise) } else { None }
    }

    /// Where collections of single bytes are. Before each byte is a continue choice of one byte,
    /// and a last one may follow.
    pub(super) fn byte_lists(&self) -> &[Range<usize>] {
        &self.byte_lists
    }
}

/// All parts that have bytes. `places` says where each choice begins in the bytes.
fn parts(trace: &Trace, places: &[u32]) -> Vec<Part> {
    let mut parts = Vec::with_capacity(trace.len() + trace.spans.len());
    let mut keys: Vec<Key> = Vec::with_capacity(trace.spans.len());
    // How many children each span has had so far. The last entry counts what has no span around it.
    let mut children = vec![0u64; trace.spans.len() + 1];
    let outside = trace.spans.len();
    let mut open: Vec<usize> = Vec::new();
    let mut spans = trace.spans.iter().enumerate().peekable();
    let mut last_of: Vec<Option<(Key, usize)>> = vec![None; trace.spans.len() + 1];
    for (at, choice) in trace.choices.iter().enumerate() {
        open.retain(|span| trace.spans[*span].range().end > at);
        while let Some((index, span)) = spans.next_if(|(_, span)| span.range().start <= at) {
            let parent = span.parent.map(|parent| parent as usize);
            let key = span_key(span.label, parent.map(|at| (keys[at], trace.spans[at].label)), {
                let count = &mut children[parent.unwrap_or(outside)];
                *count += 1;
                *count
            });
            keys.push(key);
            if span.is_empty() {
                continue;
            }
            open.push(index);
            let (start, end) = (places[span.start as usize], places[span.end as usize]);
            if start == end {
                continue;
            }
            let mut kind = if span.label == Label::ELEMENT { Kind::Element } else { Kind::Span };
            if let Some((last, part)) =
                last_of[parent.unwrap_or(outside)].replace((key, parts.len()))
                && last == key
                && kind == Kind::Span
            {
                kind = Kind::Element;
                let before: &mut Part = &mut parts[part];
                before.kind = Kind::Element;
            }
            parts.push(Part { start, end, key, kind });
        }
        let parent = open.last().copied();
        let count = &mut children[parent.unwrap_or(outside)];
        *count += 1;
        let around = parent.map_or(Key(1), |at| keys[at]);
        let (start, end) = (places[at], places[at + 1]);
        let (kind, bits) = kind(choice);
        // A continue choice goes with its element.
        if start < end && bits != CONTINUE {
            let key = around.mixed(kind as u64 | bits << 8).mixed(*count);
            parts.push(Part { start, end, key, kind });
        }
    }
    parts
}

/// See [`Parent::byte_lists`].
fn byte_lists(trace: &Trace, places: &[u32]) -> Vec<Range<usize>> {
    let collections = trace.spans.iter().filter(|span| span.label == Label::COLLECTION);
    let of_bytes = collections.filter(|span| {
        let choices = &trace.choices[span.range()];
        choices.len() > 1
            && choices.iter().enumerate().all(|(at, choice)| match &choice.constraint {
                Constraint::Boolean(coin) => coin.more && at.is_multiple_of(2),
                Constraint::Integer(range) => range.type_bytes == 1 && !at.is_multiple_of(2),
                _ => false,
            })
    });
    of_bytes
        .map(|span| places[span.start as usize] as usize..places[span.end as usize] as usize)
        .filter(|place| !place.is_empty())
        .collect()
}

/// The key of a span: its label and those around it, up to the draw of the target or the type that
/// it is a part of.
fn span_key(label: Label, parent: Option<(Key, Label)>, place: u64) -> Key {
    if label.is_written_out() {
        return Key(label.0);
    }
    let own = match parent {
        Some((key, around)) if around == Label::COLLECTION => key,
        Some((key, _)) => key.mixed(place),
        None => Key(place),
    };
    own.mixed(label.0)
}

/// Stands for the continue choice of a collection.
const CONTINUE: u64 = u64::MAX;

/// What a choice is, and a number that distinguishes choices of different types at one place.
fn kind(choice: &Choice) -> (Kind, u64) {
    match &choice.constraint {
        Constraint::Boolean(coin) if coin.more => (Kind::Number, CONTINUE),
        Constraint::Boolean(coin) => (Kind::Number, u64::from(coin.bytes)),
        Constraint::Integer(range) => {
            let role = match range.role {
                Role::Number => 1,
                Role::Alternative => 2,
                Role::Element => 3,
            };
            (Kind::Number, u64::from(range.type_bytes) | role << 8)
        }
        Constraint::Float(range) => (Kind::Number, u64::from(range.type_bytes) | 4 << 8),
        Constraint::Text(..) => (Kind::Text, 0),
        Constraint::Bytes(_) => (Kind::Bytes, 0),
        Constraint::Rest | Constraint::Path => (Kind::Raw, 0),
    }
}

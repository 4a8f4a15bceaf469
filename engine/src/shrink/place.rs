//! Where values and elements stand in a trace.

use std::ops::Range;

use crate::choice::{Choice, Constraint, IntegerRange, Role, Value};
use crate::trace::{Label, Span};

/// An integer of the trace that represents a number, measured by its distance from the value it
/// shrinks towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: i128,
    pub(super) range: IntegerRange,
}

impl Number {
    /// The number that `choice` represents, if any.
    pub(super) fn of(choice: &Choice) -> Option<Number> {
        match (&choice.value, &choice.constraint) {
            (Value::Integer(value), Constraint::Integer(range)) if range.role == Role::Number => {
                Some(Number { value: *value, range: *range })
            }
            _ => None,
        }
    }

    pub(super) fn distance(self) -> u128 {
        self.value.abs_diff(self.range.towards)
    }

    pub(super) fn is_below(self) -> bool {
        self.value < self.range.towards
    }

    /// The value at this distance on the same side as this number, if the range reaches that far.
    pub(super) fn at(self, distance: u128) -> Option<Value> {
        self.on_side(distance, self.is_below())
    }

    /// The value at this distance on the given side, if the range reaches that far.
    pub(super) fn on_side(self, distance: u128, below: bool) -> Option<Value> {
        let value = if below {
            self.range.towards.checked_sub_unsigned(distance)
        } else {
            self.range.towards.checked_add_unsigned(distance)
        };
        value
            .filter(|value| self.range.min <= *value && *value <= self.range.max)
            .map(Value::Integer)
    }

    /// The value minus the one it shrinks towards, so that numbers of different types compare.
    pub(super) fn offset(self) -> i128 {
        self.value.wrapping_sub(self.range.towards)
    }

    /// The value at an offset, if the range reaches that far.
    pub(super) fn at_offset(self, offset: i128) -> Option<Value> {
        self.on_side(offset.unsigned_abs(), offset < 0)
    }
}

/// Whether `choice` decides that one more element follows.
pub(crate) fn is_continue(choice: &Choice) -> bool {
    match &choice.constraint {
        Constraint::Boolean(coin) => coin.more,
        Constraint::Integer(range) => range.role == Role::Element,
        _ => false,
    }
}

/// Whether `choice` is data of the target. Alternatives, forced booleans and the continue choices
/// of collections are not data.
pub(crate) fn is_datum(choice: &Choice) -> bool {
    match &choice.constraint {
        Constraint::Boolean(coin) => !coin.more && coin.forced.is_none(),
        Constraint::Integer(range) => range.role == Role::Number,
        _ => true,
    }
}

/// The index of the alternative that was taken at `choice`, counted from 0, if it selects one.
pub(crate) fn alternative(choice: &Choice) -> Option<i128> {
    match (&choice.value, &choice.constraint) {
        (
            Value::Integer(value),
            Constraint::Integer(IntegerRange { role: Role::Alternative, .. }),
        ) => Some(*value),
        (Value::Integer(value), Constraint::Integer(IntegerRange { role: Role::Element, .. }))
            if *value > 0 =>
        {
            Some(*value - 1)
        }
        _ => None,
    }
}

/// The value that selects the alternative `index` at the place of `choice`.
pub(super) fn as_alternative(choice: &Choice, index: i128) -> Value {
    match &choice.constraint {
        Constraint::Integer(IntegerRange { role: Role::Element, .. }) => Value::Integer(index + 1),
        _ => Value::Integer(index),
    }
}

/// The values of `range`, put in the place of something that began with `place`. If the first value
/// selects an alternative, it is converted, because fused and unfused alternatives count
/// differently.
pub(crate) fn moved(
    choices: &[Choice],
    range: Range<usize>,
    place: &Choice,
) -> impl Iterator<Item = Value> {
    let first = choices.get(range.start).filter(|_| !range.is_empty());
    let first = first.map(|first| {
        alternative(first).map_or_else(|| first.value.clone(), |index| as_alternative(place, index))
    });
    let rest = choices.get(range.start + 1..range.end).unwrap_or_default();
    first.into_iter().chain(rest.iter().map(|choice| choice.value.clone()))
}

/// The values of `range` as they are.
pub(super) fn values(choices: &[Choice], range: Range<usize>) -> impl Iterator<Item = Value> {
    choices[range].iter().map(|choice| choice.value.clone())
}

/// The spans inside the span at `index`.
pub(super) fn inside(spans: &[Span], index: usize) -> impl Iterator<Item = (usize, &Span)> {
    spans
        .iter()
        .enumerate()
        .skip(index + 1)
        .take_while(move |(_, span)| span.parent.is_some_and(|parent| parent as usize >= index))
}

/// The label of a value that may hold values of its kind. Lists in a list are not parts of the same
/// kind, unless a type with a separate label lies between.
pub(super) fn may_hold_itself(label: Label) -> bool {
    !label.is_draw()
        && !matches!(label, Label::ELEMENT | Label::ATTEMPT | Label::COLLECTION | Label::TUPLE)
}

/// The outermost shorter spans inside the span at `index` that have its label.
pub(super) fn parts_alike(spans: &[Span], index: usize) -> Vec<Range<usize>> {
    let whole = spans[index];
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (_, span) in inside(spans, index).filter(|(_, span)| {
        span.label == whole.label && !span.is_empty() && span.len() < whole.len()
    }) {
        if parts.last().is_none_or(|last| last.end <= span.start as usize) {
            parts.push(span.range());
        }
    }
    parts
}

/// The choices of each element of the collection at span `index` that can be deleted, in order. The
/// result is empty if the span is not a collection, or no longer one.
pub(super) fn elements(choices: &[Choice], spans: &[Span], index: usize) -> Vec<Range<usize>> {
    if spans.get(index).is_none_or(|span| span.label != Label::COLLECTION) {
        return Vec::new();
    }
    inside(spans, index)
        .filter(|(_, span)| {
            span.parent == Some(index as u32)
                && span.label == Label::ELEMENT
                && choices.get(span.start as usize).is_some_and(is_continue)
        })
        .map(|(_, span)| span.range())
        .collect()
}

/// The collections of a trace, as indices of spans.
pub(super) fn collections(spans: &[Span]) -> Vec<usize> {
    (0..spans.len()).filter(|index| spans[*index].label == Label::COLLECTION).collect()
}

/// The innermost span around each choice.
pub(crate) fn owners(choices: &[Choice], spans: &[Span]) -> Vec<Option<usize>> {
    let mut owners = vec![None; choices.len()];
    // Inner spans stand behind outer ones and overwrite them.
    for (index, span) in spans.iter().enumerate() {
        owners[span.range()].fill(Some(index));
    }
    owners
}

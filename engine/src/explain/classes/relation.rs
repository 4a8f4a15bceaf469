//! Relations between two values: which hold, and which values have them.
//!
//! A string is compared with a number by its length: characters of a text, or bytes.

use super::claims::{Relation, Sides};
use super::number_line::NumberLine;
use super::strings::is_part;
use crate::choice::{Choice, Constraint, Length, Value};

/// A string need not be longer than this, and than twice the one of the minimized input, to be as
/// long as a number says.
const LENGTH_MAX: i128 = 1 << 16;

impl Relation {
    /// All relations. One that follows from another stands before it.
    pub(crate) const ALL: [Relation; 14] = [
        Relation::Different,
        Relation::AtMost,
        Relation::AtLeast,
        Relation::Less,
        Relation::Greater,
        Relation::OneMore,
        Relation::OneLess,
        Relation::Contains(Sides::Anywhere),
        Relation::Contains(Sides::Behind),
        Relation::Contains(Sides::Before),
        Relation::PartOf(Sides::Anywhere),
        Relation::PartOf(Sides::Behind),
        Relation::PartOf(Sides::Before),
        Relation::Equal,
    ];

    /// Whether the relation holds between `value` and `other`.
    pub(crate) fn holds(self, value: &Value, other: &Value) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let integers = match (value, other) {
            (Value::Integer(a), b) => count(b).map(|b| (*a, b)),
            (a, Value::Integer(b)) => count(a).map(|a| (a, *b)),
            _ => None,
        };
        let order = match (value, other, integers) {
            (.., Some((a, b))) => Some(a.cmp(&b)),
            (Value::Float(a), Value::Float(b), _) => a.partial_cmp(b),
            (a, b, _) => (a == b).then_some(Equal),
        };
        let is_ordered = integers.is_some() || matches!(value, Value::Float(_));
        let differ_by = |by: i128| integers.is_some_and(|(a, b)| b.checked_add(by) == Some(a));
        match self {
            Relation::Different => order != Some(Equal),
            Relation::AtMost => is_ordered && matches!(order, Some(Less | Equal)),
            Relation::AtLeast => is_ordered && matches!(order, Some(Greater | Equal)),
            Relation::Less => order == Some(Less),
            Relation::Greater => order == Some(Greater),
            Relation::OneMore => differ_by(1),
            Relation::OneLess => differ_by(-1),
            Relation::Contains(sides) => is_part(other, value, sides),
            Relation::PartOf(sides) => is_part(value, other, sides),
            Relation::Equal => order == Some(Equal),
        }
    }

    /// How much greater the value is than the other one, if the relation fixes this.
    pub(crate) fn distance(self) -> Option<i128> {
        match self {
            Relation::Equal => Some(0),
            Relation::OneMore => Some(1),
            Relation::OneLess => Some(-1),
            _ => None,
        }
    }

    /// Whether it says that one string is part of the other one.
    pub(crate) fn is_of_strings(self) -> bool {
        matches!(self, Relation::Contains(_) | Relation::PartOf(_))
    }

    /// The values at the place of `choice` that have the relation to `other`. `None` if no
    /// value has it, if these values are not a range, or if they are very long strings.
    pub(crate) fn range(self, choice: &Choice, other: &Value) -> Option<Constraint> {
        let Some(line) = NumberLine::of(choice) else {
            return self.lengths(choice, other);
        };
        let point = match (line, other) {
            (NumberLine::Integers(_), other) => count(other)?,
            (NumberLine::Floats(_), other) => line.point(other)?,
        };
        let (min, max) = self.ends(point, (line.min(), line.max()))?;
        (min <= max).then(|| line.between(min, max))
    }

    /// The strings whose length has the relation to a number.
    fn lengths(self, choice: &Choice, number: &Value) -> Option<Constraint> {
        let Value::Integer(number) = number else { return None };
        // A number may be larger than the memory.
        let longest = LENGTH_MAX.max(2 * count(&choice.value)?);
        let within = |length: &Length| {
            let (min, max) = self.ends(*number, (length.min as i128, length.max as i128))?;
            let (min, max) = (usize::try_from(min).ok()?, usize::try_from(max).ok()?);
            (min <= max && min as i128 <= longest).then_some(Length { min, max })
        };
        match &choice.constraint {
            Constraint::Text(length, alphabet) => {
                Some(Constraint::Text(within(length)?, alphabet.clone()))
            }
            Constraint::Bytes(length) => Some(Constraint::Bytes(within(length)?)),
            _ => None,
        }
    }

    /// The ends of the numbers between `min` and `max` that have the relation to `point`.
    fn ends(self, point: i128, (min, max): (i128, i128)) -> Option<(i128, i128)> {
        let (low, high) = match self {
            Relation::Different | Relation::Contains(_) | Relation::PartOf(_) => return None,
            Relation::AtMost => (min, point),
            Relation::AtLeast => (point, max),
            Relation::Less => (min, point.checked_sub(1)?),
            Relation::Greater => (point.checked_add(1)?, max),
            Relation::OneMore => (point.checked_add(1)?, point.checked_add(1)?),
            Relation::OneLess => (point.checked_sub(1)?, point.checked_sub(1)?),
            Relation::Equal => (point, point),
        };
        Some((low.max(min), high.min(max)))
    }
}

/// The values that both constraints allow. `None` if there are none, or if they are not a range.
pub(crate) fn both(one: &Constraint, other: &Constraint) -> Option<Constraint> {
    let shorter = |one: &Length, other: &Length| {
        let both = Length { min: one.min.max(other.min), max: one.max.min(other.max) };
        (both.min <= both.max).then_some(both)
    };
    match (one, other) {
        (Constraint::Text(length, alphabet), Constraint::Text(other, _)) => {
            Some(Constraint::Text(shorter(length, other)?, alphabet.clone()))
        }
        (Constraint::Bytes(length), Constraint::Bytes(other)) => {
            Some(Constraint::Bytes(shorter(length, other)?))
        }
        _ => {
            let (line, other) = (NumberLine::under(one)?, NumberLine::under(other)?);
            let (min, max) = (line.min().max(other.min()), line.max().min(other.max()));
            (min <= max).then(|| line.between(min, max))
        }
    }
}

/// An integer, or the length of a string.
fn count(value: &Value) -> Option<i128> {
    match value {
        Value::Integer(value) => Some(*value),
        Value::Text(text) => Some(text.chars().count() as i128),
        Value::Bytes(bytes) => Some(bytes.len() as i128),
        Value::Boolean(_) | Value::Float(_) => None,
    }
}

//! Relations between two values: which hold, and which values have them.

use super::claims::Relation;
use super::number_line::NumberLine;
use crate::choice::{Choice, Constraint, Value};

impl Relation {
    /// All relations. One that follows from another stands before it.
    pub(super) const ALL: [Relation; 8] = [
        Relation::Different,
        Relation::AtMost,
        Relation::AtLeast,
        Relation::Less,
        Relation::Greater,
        Relation::OneMore,
        Relation::OneLess,
        Relation::Equal,
    ];

    /// Whether the relation holds between `value` and `other`.
    pub(super) fn holds(self, value: &Value, other: &Value) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let order = match (value, other) {
            (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
            (a, b) => (a == b).then_some(Equal),
        };
        let differ_by = |by: i128| match (value, other) {
            (Value::Integer(a), Value::Integer(b)) => b.checked_add(by) == Some(*a),
            _ => false,
        };
        match self {
            Relation::Different => order != Some(Equal),
            Relation::AtMost => is_ordered(value) && matches!(order, Some(Less | Equal)),
            Relation::AtLeast => is_ordered(value) && matches!(order, Some(Greater | Equal)),
            Relation::Less => order == Some(Less),
            Relation::Greater => order == Some(Greater),
            Relation::OneMore => differ_by(1),
            Relation::OneLess => differ_by(-1),
            Relation::Equal => order == Some(Equal),
        }
    }

    /// How much greater the value is than the other one, if the relation fixes this.
    pub(super) fn distance(self) -> Option<i128> {
        match self {
            Relation::Equal => Some(0),
            Relation::OneMore => Some(1),
            Relation::OneLess => Some(-1),
            _ => None,
        }
    }

    /// The values at the place of `choice` that have the relation to `other`. `None` if no
    /// value has it, or if these values are not a range.
    pub(super) fn range(self, choice: &Choice, other: &Value) -> Option<Constraint> {
        let line = NumberLine::of(choice)?;
        let point = line.point(other)?;
        let (min, max) = match self {
            Relation::Different => return None,
            Relation::AtMost => (line.min(), point),
            Relation::AtLeast => (point, line.max()),
            Relation::Less => (line.min(), point.checked_sub(1)?),
            Relation::Greater => (point.checked_add(1)?, line.max()),
            Relation::OneMore => (point.checked_add(1)?, point.checked_add(1)?),
            Relation::OneLess => (point.checked_sub(1)?, point.checked_sub(1)?),
            Relation::Equal => (point, point),
        };
        let (min, max) = (min.max(line.min()), max.min(line.max()));
        (min <= max).then(|| line.between(min, max))
    }
}

fn is_ordered(value: &Value) -> bool {
    matches!(value, Value::Integer(_) | Value::Float(_))
}

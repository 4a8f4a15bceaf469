//! Values to draw in place of random ones.

use crate::choice::{Constraint, Value};
use crate::parts::put_together;

/// Values in drawing order, and the position of the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    values: Vec<Value>,
    at: usize,
}

impl Script {
    /// Starts over with `values`.
    pub(crate) fn load(&mut self, values: impl IntoIterator<Item = Value>) {
        self.values.clear();
        self.values.extend(values);
        self.at = 0;
    }

    /// Drops the remaining values.
    pub(crate) fn clear(&mut self) {
        self.at = self.values.len();
    }

    /// Whether no value remains.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.at >= self.values.len()
    }

    /// The next value, adapted to `constraint`. `None` after the last value, and for a value of
    /// another kind, which is skipped.
    pub(crate) fn next(&mut self, constraint: &Constraint) -> Option<Value> {
        let left = self.values.get(self.at..).unwrap_or_default();
        if let Some((value, taken)) = put_together(constraint, left) {
            self.at += taken;
            return Some(value);
        }
        let value = self.values.get(self.at)?;
        self.at += 1;
        let is_of_the_kind = matches!(
            (constraint, value),
            (Constraint::Boolean(_), Value::Boolean(_))
                | (Constraint::Integer(_), Value::Integer(_))
                | (Constraint::Float(_), Value::Float(_) | Value::Integer(_))
                | (Constraint::Bytes(_) | Constraint::Rest | Constraint::Path, Value::Bytes(_))
                | (Constraint::Text(..), Value::Text(_))
        );
        is_of_the_kind.then(|| constraint.nearest(value))
    }
}

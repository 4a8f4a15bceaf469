//! Replaying typed choices.

use crate::choice::{Constraint, Value};

/// Values to replay, and how far they were used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replay {
    values: Vec<Value>,
    at: usize,
}

impl Replay {
    pub(crate) fn load(&mut self, values: &[Value]) {
        self.values.clear();
        self.values.extend_from_slice(values);
        self.at = 0;
    }

    /// The next value, made to fit. Past the end: the simplest value.
    pub(crate) fn next(&mut self, constraint: &Constraint) -> Value {
        let value = self.values.get(self.at).map(|value| constraint.nearest(value));
        self.at += 1;
        value.unwrap_or_else(|| constraint.simplest())
    }
}

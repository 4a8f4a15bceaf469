//! Replays typed choices.

use crate::choice::{Coin, Constraint, IntegerRange, Value};
use crate::parts::put_together;

/// An input of typed values, for the shrinker's [`Runner`](crate::internals::shrink::Runner).
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The values of the first choices. The replay adapts each value to its constraint. A string
    /// may be given in parts.
    pub values: &'a [Value],
    /// The seed of the choices after them. Without a seed, these have their simplest values.
    pub seed: Option<u64>,
}

impl<'a> Candidate<'a> {
    /// Replays `values`.
    pub fn replaying(values: &'a [Value]) -> Candidate<'a> {
        Candidate { values, seed: None }
    }
}

/// The values to replay, and the position of the next one.
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

    /// The next value, adapted to `constraint`. After the last value, the simplest value.
    pub(crate) fn next(&mut self, constraint: &Constraint) -> Value {
        let left = self.values.get(self.at..).unwrap_or_default();
        let (value, taken) = put_together(constraint, left).unwrap_or_else(|| {
            let value = left.first().map(|value| constraint.nearest(value));
            (value.unwrap_or_else(|| constraint.simplest()), 1)
        });
        self.at += taken;
        value
    }

    /// The next integer. Nearly every choice is an integer or a boolean, and this path copies no
    /// value.
    #[inline]
    pub(crate) fn integer(&mut self, range: &IntegerRange) -> i128 {
        let integer = match self.values.get(self.at) {
            Some(Value::Integer(value)) => (*value).clamp(range.min, range.max),
            _ => range.towards,
        };
        self.at += 1;
        integer
    }

    /// The next boolean.
    #[inline]
    pub(crate) fn boolean(&mut self, coin: Coin) -> bool {
        let boolean = match self.values.get(self.at) {
            Some(Value::Boolean(value)) => *value,
            _ => false,
        };
        self.at += 1;
        coin.forced.unwrap_or(boolean)
    }
}

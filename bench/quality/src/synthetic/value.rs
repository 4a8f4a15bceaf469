//! The values that made properties are about.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One value of any shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Nothing.
    Unit,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of any type.
    Int(i128),
    /// A float.
    Float(#[serde(with = "bits")] f64),
    /// A text.
    Text(String),
    /// A byte string.
    Bytes(Vec<u8>),
    /// A collection.
    List(Vec<Value>),
    /// A fixed number of values.
    Tuple(Vec<Value>),
    /// The alternative with this index, and its values.
    Tagged(usize, Vec<Value>),
}

/// JSON has no infinite floats, nor NaN, so floats are written as their bits.
pub mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub fn serialize<S: Serializer>(float: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(float.to_bits())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}

/// What conditions look at: the parts of a value, each kind in the order in which it was drawn.
#[derive(Debug, Default)]
pub struct View<'a> {
    /// Every integer and every byte of a byte string.
    pub numbers: Vec<i128>,
    /// Every float.
    pub floats: Vec<f64>,
    /// Every text.
    pub texts: Vec<&'a str>,
    /// The index of every alternative, and its depth.
    pub tags: Vec<(usize, usize)>,
    /// Every collection.
    pub lists: Vec<&'a [Value]>,
    /// How many collections and alternatives lie inside each other.
    pub depth: usize,
    /// How many booleans are true.
    pub trues: usize,
}

impl<'a> View<'a> {
    /// The parts of `value`.
    pub fn of(value: &'a Value) -> View<'a> {
        let mut view = View::default();
        view.add(value, 0);
        view
    }

    fn add(&mut self, value: &'a Value, depth: usize) {
        self.depth = self.depth.max(depth);
        match value {
            Value::Unit => {}
            Value::Bool(value) => self.trues += usize::from(*value),
            Value::Int(value) => self.numbers.push(*value),
            Value::Float(value) => self.floats.push(*value),
            Value::Text(text) => self.texts.push(text),
            Value::Bytes(bytes) => {
                self.numbers.extend(bytes.iter().map(|byte| i128::from(*byte)));
            }
            Value::List(values) => {
                self.lists.push(values);
                self.add_all(values, depth + 1);
            }
            Value::Tuple(values) => self.add_all(values, depth),
            Value::Tagged(tag, values) => {
                self.tags.push((*tag, depth));
                self.add_all(values, depth + 1);
            }
        }
    }

    fn add_all(&mut self, values: &'a [Value], depth: usize) {
        for value in values {
            self.add(value, depth);
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |values: &[Value]| {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        match self {
            Value::Unit => f.write_str("()"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Text(value) => write!(f, "{value:?}"),
            Value::Bytes(value) => write!(f, "b{value:?}"),
            Value::List(values) => write!(f, "[{}]", join(values)),
            Value::Tuple(values) => write!(f, "({})", join(values)),
            Value::Tagged(tag, values) => {
                let name = char::from(b'A' + (*tag % 26) as u8);
                if values.is_empty() {
                    write!(f, "{name}")
                } else {
                    write!(f, "{name}({})", join(values))
                }
            }
        }
    }
}

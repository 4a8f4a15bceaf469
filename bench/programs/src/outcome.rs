//! What a run of a module shows, in the same form for all versions of the engine.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What each function shows that the module exports, one after the other.
pub type Shown = Vec<Vec<Event>>;

/// One thing that a run shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The engine panicked.
    Panic,
    /// The start function ended.
    Start(End),
    /// A call of the function ended.
    Call(End),
    /// An exported global after all calls.
    Global(String, Bits),
    /// A hash of an exported memory after all calls, and its size in bytes.
    Memory(String, u64, usize),
    /// The size of an exported table after all calls.
    Table(String, u64),
    /// A limit ended the calls of this function. What they would show after it is unknown.
    Limit,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// With these results.
    Returned(Vec<Bits>),
    /// With this trap.
    Trapped(String),
}

/// A value. A NaN is equal to all NaNs of its type.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bits {
    /// An `i32`.
    I32(i32),
    /// An `i64`.
    I64(i64),
    /// The bits of an `f32`.
    F32(u32),
    /// The bits of an `f64`.
    F64(u64),
    /// Whether a reference is null, or a value of another type.
    Reference(bool),
}

impl Bits {
    /// An `f32` of these bits.
    pub fn f32(bits: u32) -> Bits {
        Bits::F32(if f32::from_bits(bits).is_nan() { f32::NAN.to_bits() } else { bits })
    }

    /// An `f64` of these bits.
    pub fn f64(bits: u64) -> Bits {
        Bits::F64(if f64::from_bits(bits).is_nan() { f64::NAN.to_bits() } else { bits })
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bits::I32(value) => write!(f, "i32:{value}"),
            Bits::I64(value) => write!(f, "i64:{value}"),
            Bits::F32(bits) => write!(f, "f32:{}", f32::from_bits(*bits)),
            Bits::F64(bits) => write!(f, "f64:{}", f64::from_bits(*bits)),
            Bits::Reference(is_null) => write!(f, "null:{is_null}"),
        }
    }
}

#![doc = include_str!("format.md")]

mod encode;
mod reader;

#[cfg(feature = "fuzzing")]
pub(crate) use encode::{TEXT_END, escape, unescape};
pub use encode::{encode, encode_choice};
pub(crate) use reader::ByteReader;
pub(crate) use reader::weighted;

/// The version of the byte format, stated in every report. A change to the format is a breaking
/// change.
pub const BYTE_FORMAT: u32 = 1;

#![doc = include_str!("format.md")]

mod encode;
mod reader;

pub use encode::encode;
#[cfg(feature = "fuzzing")]
pub use encode::encode_choice;
pub(crate) use encode::{TEXT_END, escape, unescape};
pub(crate) use reader::ByteReader;
pub(crate) use reader::weighted;

/// The version of the byte format, stated in every report. A change to the format is a breaking
/// change.
pub const BYTE_FORMAT: u32 = 1;

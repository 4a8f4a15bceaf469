//! snap 1.0.0: a frame whose length leaves no room for its checksum overflows a subtraction. Fixed
//! in 1.0.1, <https://github.com/BurntSushi/rust-snappy/issues/29>.
//!
//! Guarded by the constants of the format: the identifier, the kinds of frames, their lengths.

use std::io::Read;

/// A part of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub enum Part {
    /// What each stream begins with.
    Identifier,
    /// A frame. Of its length, 24 bits count.
    Frame { kind: u8, length: u32, body: Vec<u8> },
}

/// A stream is read or refused.
///
/// # Panics
///
/// Inside `snap`.
pub fn check(parts: &[Part]) {
    let mut stream = Vec::new();
    for part in parts {
        match part {
            Part::Identifier => stream.extend(b"\xff\x06\x00\x00sNaPpY"),
            Part::Frame { kind, length, body } => {
                stream.push(*kind);
                stream.extend(&length.to_le_bytes()[..3]);
                stream.extend(body);
            }
        }
    }
    let mut bytes = Vec::new();
    let _ = snap::read::FrameDecoder::new(stream.as_slice()).read_to_end(&mut bytes);
}

//! snap 1.0.0: a frame whose length leaves no room for its checksum overflows a subtraction. Fixed
//! in 1.0.1, <https://github.com/BurntSushi/rust-snappy/issues/29>.
//!
//! Guarded by the ten bytes of the stream identifier.

use std::io::Read;

/// A stream is read or refused.
///
/// # Panics
///
/// Inside `snap`.
pub fn check(stream: &[u8]) {
    let mut bytes = Vec::new();
    let _ = snap::read::FrameDecoder::new(stream).read_to_end(&mut bytes);
}

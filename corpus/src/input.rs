//! Reads one input.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use crate::StoreError;
use crate::system::Contents;

/// The most bytes an input may have. Fuzzers write smaller ones, and the processes that run targets
/// can pass this much to each other.
pub const INPUT_MAX_BYTES: u64 = 64 << 20;

/// The bytes of one file. With the feature `fuzzing` the file is mapped into memory where possible.
pub struct Input(Contents);

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input({} bytes)", self.len())
    }
}

/// Reads one input. With the feature `fuzzing` it maps regular files. It reads pipes and similar
/// files to their end.
///
/// A mapped file must not be truncated while the result lives: a read past the new end would end
/// the process (SIGBUS). The store and the fuzzers only write new files.
///
/// # Errors
/// The file does not exist, is a folder, is larger than [`INPUT_MAX_BYTES`], or cannot be read.
pub fn read_input(path: &Path) -> Result<Input, StoreError> {
    let fail = |error| StoreError::io("read", path, error);
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            StoreError::missing(path, "does not exist; name a file with an input")
        }
        _ => fail(error),
    })?;
    let metadata = file.metadata().map_err(fail)?;
    if metadata.is_dir() {
        return Err(StoreError::bad_name(path, "is a folder; name one of the files in it"));
    }
    check_size(path, metadata.len())?;
    // An empty map is an error. Files in /proc have length 0 but are not empty.
    if !metadata.is_file() || metadata.len() == 0 {
        let mut bytes = Vec::new();
        file.take(INPUT_MAX_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
        check_size(path, bytes.len() as u64)?;
        return Ok(Input(bytes.into()));
    }
    Contents::of(&file).map(Input).map_err(fail)
}

/// Returns an error if a file of this size is too large for an input. Reads nothing.
///
/// # Errors
/// `bytes` is larger than [`INPUT_MAX_BYTES`].
pub fn check_size(path: &Path, bytes: u64) -> Result<(), StoreError> {
    if bytes > INPUT_MAX_BYTES { Err(StoreError::too_large(path, bytes)) } else { Ok(()) }
}

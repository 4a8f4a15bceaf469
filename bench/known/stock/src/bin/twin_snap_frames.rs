//! See `known_values::snap_frames`.
#![no_main]

use known_values::snap_frames::{Part, check};

libfuzzer_sys::fuzz_target!(|parts: Vec<Part>| check(&parts));

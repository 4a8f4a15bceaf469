//! See `known_values::snap_frames`.
#![no_main]

use known_values::snap_frames::check;

libfuzzer_sys::fuzz_target!(|stream: Vec<u8>| check(&stream));

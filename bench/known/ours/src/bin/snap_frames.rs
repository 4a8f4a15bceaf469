//! See `known_values::snap_frames`.
#![no_main]

use known_values::snap_frames::check;

dwindle::fuzz_target!(|stream: Vec<u8>| check(&stream));

//! See `known_values::snap_frames`.
#![no_main]

use known_values::snap_frames::{Part, check};

dwindle::fuzz_target!(|parts: Vec<Part>| check(&parts));

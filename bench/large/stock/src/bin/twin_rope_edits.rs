//! See `large_values::rope_edits`.
#![no_main]

use large_values::rope_edits::{Op, check};

libfuzzer_sys::fuzz_target!(|input: Vec<Op>| check(&input));

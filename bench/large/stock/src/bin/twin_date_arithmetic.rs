//! See `large_values::date_arithmetic`.
#![no_main]

use large_values::date_arithmetic::{Op, check};

libfuzzer_sys::fuzz_target!(|input: Vec<Op>| check(&input));

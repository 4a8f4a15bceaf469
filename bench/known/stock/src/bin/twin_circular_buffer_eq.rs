//! See `known_values::circular_buffer_eq`.
#![no_main]

use known_values::circular_buffer_eq::{Op, check};

libfuzzer_sys::fuzz_target!(|input: (Vec<Op>, Vec<Op>)| {
    let (left, right) = input;
    check(&left, &right);
});

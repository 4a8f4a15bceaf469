//! See `known_values::bigint_multiply`.
#![no_main]

use known_values::bigint_multiply::{Part, check};

libfuzzer_sys::fuzz_target!(|input: (Vec<Part>, Vec<Part>)| {
    let (left, right) = input;
    check(&left, &right);
});

//! See `known_values::bigint_signed_bytes`.
#![no_main]

use known_values::bigint_signed_bytes::check;

libfuzzer_sys::fuzz_target!(|input: (bool, Vec<u32>)| {
    let (is_negative, digits) = input;
    check(is_negative, &digits);
});

//! See `large_values::font_face`.
#![no_main]

use large_values::font_face::check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check(input));

//! See `large_values::font_face`.
#![no_main]

use large_values::font_face::check;

dwindle::fuzz_target!(|input: &[u8]| check(input));

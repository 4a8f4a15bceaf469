//! See `large_values::template_render`.
#![no_main]

use large_values::template_render::check;

libfuzzer_sys::fuzz_target!(|input: String| check(&input));

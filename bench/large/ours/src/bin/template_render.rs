//! See `large_values::template_render`.
#![no_main]

use large_values::template_render::check;

dwindle::fuzz_target!(|input: String| check(&input));

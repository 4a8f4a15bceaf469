//! See `large_values::markdown_html`.
#![no_main]

use large_values::markdown_html::check;

libfuzzer_sys::fuzz_target!(|input: String| check(&input));

//! See `large_values::toml_document`.
#![no_main]

use large_values::toml_document::check;

libfuzzer_sys::fuzz_target!(|input: String| check(&input));

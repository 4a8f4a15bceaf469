//! See `large_values::toml_document`.
#![no_main]

use large_values::toml_document::check;

dwindle::fuzz_target!(|input: String| check(&input));

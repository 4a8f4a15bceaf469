//! See `large_values::xml_document`.
#![no_main]

use large_values::xml_document::check;

libfuzzer_sys::fuzz_target!(|input: String| check(&input));

//! See `large_values::xml_document`.
#![no_main]

use large_values::xml_document::check;

dwindle::fuzz_target!(|input: String| check(&input));

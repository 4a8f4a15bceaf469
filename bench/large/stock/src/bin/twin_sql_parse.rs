//! See `large_values::sql_parse`.
#![no_main]

use large_values::sql_parse::check;

libfuzzer_sys::fuzz_target!(|input: String| check(&input));

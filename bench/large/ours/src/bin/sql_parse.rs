//! See `large_values::sql_parse`.
#![no_main]

use large_values::sql_parse::check;

dwindle::fuzz_target!(|input: String| check(&input));

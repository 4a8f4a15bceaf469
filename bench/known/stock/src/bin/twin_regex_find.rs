//! See `known_values::regex_find`.
#![no_main]

use known_values::regex_find::{Expression, check};

libfuzzer_sys::fuzz_target!(|expression: Expression| check(&expression));

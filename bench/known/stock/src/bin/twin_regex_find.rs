//! See `known_values::regex_find`.
#![no_main]

use known_values::regex_find::{Expression, Letter, check};

libfuzzer_sys::fuzz_target!(|input: (Expression, Vec<Letter>)| {
    let (expression, text) = input;
    check(&expression, &text);
});

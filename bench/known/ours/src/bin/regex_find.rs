//! See `known_values::regex_find`.
#![no_main]

use dwindle::prelude::*;
use known_values::regex_find::{Expression, Letter, check};

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let (expression, text) = tc.draw(any::<(Expression, Vec<Letter>)>());
    check(&expression, &text);
});

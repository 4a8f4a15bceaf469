//! See `known_values::circular_buffer_eq`.
#![no_main]

use dwindle::prelude::*;
use known_values::circular_buffer_eq::{Op, check};

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let (left, right) = tc.draw(any::<(Vec<Op>, Vec<Op>)>());
    check(&left, &right);
});

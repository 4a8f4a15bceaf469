//! See `known_values::bigint_multiply`.
#![no_main]

use dwindle::prelude::*;
use known_values::bigint_multiply::{Part, check};

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let (left, right) = tc.draw(any::<(Vec<Part>, Vec<Part>)>());
    check(&left, &right);
});

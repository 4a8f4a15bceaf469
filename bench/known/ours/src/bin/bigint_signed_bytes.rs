//! See `known_values::bigint_signed_bytes`.
#![no_main]

use dwindle::prelude::*;
use known_values::bigint_signed_bytes::check;

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let (is_negative, digits) = tc.draw(any::<(bool, Vec<u32>)>());
    check(is_negative, &digits);
});

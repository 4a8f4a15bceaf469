//! dwindle's byte format: decoding, encoding and decoding again.
#![no_main]

use dwindle::prelude::*;
use dwindle_fuzz::byte_format::{Spec, check};

/// The code of dwindle counts as coverage here.
// SAFETY: only dwindle has a symbol of this name, and it reads no more than the address.
#[unsafe(export_name = "dwindle_is_under_test")]
static TESTS_DWINDLE: u8 = 0;

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let specs = tc.draw(any::<Vec<Spec>>());
    let input = tc.draw(g::bytes());
    check(&specs, &input);
});

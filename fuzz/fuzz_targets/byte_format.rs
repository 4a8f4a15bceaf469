//! dwindle's byte format: decoding, encoding and decoding again.
#![no_main]

use dwindle::prelude::*;
use dwindle_fuzz::byte_format::{Spec, check};

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let specs = tc.draw(any::<Vec<Spec>>());
    let input = tc.draw(g::bytes());
    check(&specs, &input);
});

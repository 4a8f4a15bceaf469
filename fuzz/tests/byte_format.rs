//! The fifth target without a fuzzer, so that a broken codec is seen before a campaign.
#![cfg(feature = "dwindle")]

use dwindle::__private::engine::internals::Driver;
use dwindle::prelude::*;
use dwindle_fuzz::byte_format::{Spec, check};

#[test]
fn random_choices_survive_encoding_and_decoding() {
    let mut tc = Driver::new();
    for seed in 0..20_000 {
        tc.start_random(seed, usize::MAX);
        let specs = tc.draw(any::<Vec<Spec>>());
        let input = tc.draw(g::bytes());
        check(&specs, &input);
    }
}

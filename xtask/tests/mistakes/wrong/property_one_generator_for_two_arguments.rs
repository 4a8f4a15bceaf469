//! One generator is meant for two arguments
//!
//! A generator belongs to one argument. Take the tuple as one argument, with a pattern.

use dwindle::prelude::*;

#[dwindle::test]
fn ordered(
    #[generate(with = g::integers(0..9u8).flat_map(|low| (g::just(low), g::integers(low..9))))]
    low: u8,
    high: u8,
) {
    assert!(low <= high);
}

fn main() {}

//! An argument has two generators
//!
//! `g::one_of` draws from one of several generators.

use dwindle::prelude::*;

#[dwindle::test]
fn is_small(
    #[generate(with = g::integers(0..9u8))]
    #[generate(with = g::integers(20..29u8))]
    number: u8,
) {
    assert!(number < 30);
}

fn main() {}

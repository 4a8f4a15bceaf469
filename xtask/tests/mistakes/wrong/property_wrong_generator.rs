//! The generator of an argument draws another type
//!
//! Change the generator or the type. `.map(..)` converts the drawn value.

use dwindle::prelude::*;

#[dwindle::test]
fn halves(#[generate(with = g::integers(0..=100u32))] number: u64) {
    assert!(number / 2 <= 50);
}

fn main() {}

//! A generator is a function that is not called
//!
//! A function such as `g::booleans` makes a generator. Call it.

use dwindle::prelude::*;

#[dwindle::test]
fn is_itself(#[generate(with = g::booleans)] coin: bool) {
    assert!(u8::from(coin) < 2);
}

fn main() {}

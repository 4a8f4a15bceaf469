//! A range stands in place of a generator
//!
//! A range is not a generator. Write `g::integers(..)` or `g::floats(..)` around it.

use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Die {
    #[generate(with = 1..=6)]
    eyes: u8,
}

fn main() {}

//! `#[dwindle::test]` stands on a struct
//!
//! The attribute belongs on the function that takes the values.

use dwindle::prelude::*;

#[dwindle::test]
#[derive(Debug, Generate)]
struct Config {
    depth: u8,
}

fn main() {}

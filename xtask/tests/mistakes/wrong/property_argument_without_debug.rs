//! An argument has a type without `Debug`
//!
//! The report of a failure shows the drawn values, so their types are `Debug`.

use dwindle::prelude::*;

#[derive(Generate)]
struct Config {
    depth: u8,
}

#[dwindle::test]
fn depth_is_small(config: Config) {
    assert!(u16::from(config.depth) < 256);
}

fn main() {}

//! A property takes `self`
//!
//! A property is a function outside an `impl` block. Draw the value as an argument.

use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Config {
    depth: u8,
}

impl Config {
    #[dwindle::test]
    fn is_small(&self) {
        assert!(u16::from(self.depth) < 256);
    }
}

fn main() {}

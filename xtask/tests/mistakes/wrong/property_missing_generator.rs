//! The attribute of an argument names no generator
//!
//! Name the generator after `with =`, or remove the attribute: the type then chooses the generator.

use dwindle::prelude::*;

#[dwindle::test]
fn is_small(#[generate] number: u8, #[generate(g::integers(0..9))] other: u8) {
    assert!(number < 9 && other < 9);
}

fn main() {}

//! An unknown setting
//!
//! The message lists all settings. `settings = ..` takes an expression with those that have no key.

use dwindle::prelude::*;

#[dwindle::test(cases = 500)]
fn is_even(#[generate(with = g::integers(0..9).map(|half| 2 * half))] number: u8) {
    assert_eq!(number % 2, 0);
}

fn main() {}

//! A range holds no value
//!
//! The end of a range lies above its start, or on it with `..=`.

use dwindle::prelude::*;

#[dwindle::test]
fn is_small(
    #[generate(with = g::integers(10..1))] number: u8,
    #[generate(with = g::vec(g::integers(-1..=-5i8)).len(3..3))] others: Vec<i8>,
) {
    assert!(number < 10 && others.len() < 4);
}

fn main() {}

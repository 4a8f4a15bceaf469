//! A generator draws values that cannot be lent to a borrowed argument
//!
//! `&str` is lent from a `String`, `&[T]` from a `Vec<T>`, `&T` from a `T`.

use dwindle::prelude::*;

#[dwindle::test]
fn is_text(#[generate(with = g::characters())] text: &str) {
    assert!(text.chars().count() <= text.len());
}

fn main() {}

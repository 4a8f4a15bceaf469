//! A field borrows its value
//!
//! A drawn value owns its fields. Write `String` for `&str`, `Vec<T>` for `&[T]` and `T` for `&T`.

use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Line<'a> {
    number: u32,
    text: &'a str,
}

fn main() {}

//! A property is generic
//!
//! Name the type that is drawn. A generic function can stand beside several properties.

use dwindle::prelude::*;

#[dwindle::test]
fn reverses<T: Clone + PartialEq + Generate>(values: Vec<T>) {
    let mut twice = values.clone();
    twice.reverse();
    twice.reverse();
    assert!(values == twice);
}

fn main() {}

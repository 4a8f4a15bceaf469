//! A property is generic
//!
//! Name the type that is drawn. A generic function can stand beside several properties.
//!
//! ```rust
//! fn reverses<T: Clone + PartialEq>(values: Vec<T>) {
//!     let mut twice = values.clone();
//!     twice.reverse();
//!     twice.reverse();
//!     assert!(values == twice);
//! }
//!
//! #[dwindle::test]
//! fn reverses_numbers(values: Vec<u32>) {
//!     reverses(values);
//! }
//! ```

use dwindle::prelude::*;

#[dwindle::test]
fn reverses<T: Clone + PartialEq + Generate>(values: Vec<T>) {
    let mut twice = values.clone();
    twice.reverse();
    twice.reverse();
    assert!(values == twice);
}

fn main() {}

//! An argument has two generators
//!
//! `g::one_of` draws from one of several generators.
//!
//! ```rust
//! #[dwindle::test]
//! fn is_small(#[generate(with = g::one_of([g::integers(0..9u8), g::integers(20..29u8)]))] number: u8) {
//!     assert!(number < 30);
//! }
//! ```

use dwindle::prelude::*;

#[dwindle::test]
fn is_small(
    #[generate(with = g::integers(0..9u8))]
    #[generate(with = g::integers(20..29u8))]
    number: u8,
) {
    assert!(number < 30);
}

fn main() {}

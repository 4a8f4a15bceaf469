//! A property returns a value that is not a `Result`
//!
//! A property fails by a panic or by an error. Assert the condition.
//!
//! ```rust
//! #[dwindle::test]
//! fn is_small(number: u8) {
//!     assert!(number < 200);
//! }
//! ```

#[dwindle::test]
fn is_small(number: u8) -> bool {
    number < 200
}

fn main() {}

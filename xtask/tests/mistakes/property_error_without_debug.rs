//! The error of a property is not `Debug`
//!
//! The report of a failure shows the error that the property returns.
//!
//! ```rust
//! #[derive(Debug)]
//! struct Unreadable;
//!
//! #[dwindle::test]
//! fn reads(text: String) -> Result<(), Unreadable> {
//!     if text.is_empty() { Ok(()) } else { Err(Unreadable) }
//! }
//! ```

struct Unreadable;

#[dwindle::test]
fn reads(text: String) -> Result<(), Unreadable> {
    if text.is_empty() { Ok(()) } else { Err(Unreadable) }
}

fn main() {}

//! `#[dwindle::test]` stands on a struct
//!
//! The attribute belongs on the function that takes the values.
//!
//! ```rust
//! #[derive(Debug, Generate)]
//! struct Config {
//!     depth: u8,
//! }
//!
//! #[dwindle::test]
//! fn is_small(config: Config) {
//!     assert!(u16::from(config.depth) < 256);
//! }
//! ```

use dwindle::prelude::*;

#[dwindle::test]
#[derive(Debug, Generate)]
struct Config {
    depth: u8,
}

fn main() {}

//! A target takes the test case by value
//!
//! The test case is lent: `|tc: &mut TestCase|`.
//!
//! ```rust
//! dwindle::fuzz_target!(|tc: &mut TestCase| {
//!     let number = tc.draw(any::<u8>());
//!     assert!(number < 200);
//! });
//! ```

#![no_main]
use dwindle::prelude::*;

dwindle::fuzz_target!(|tc: TestCase| {
    let number = tc.draw(any::<u8>());
    assert!(number < 200);
});

//! A target takes the test case by value
//!
//! The test case is lent: `|tc: &mut TestCase|`.

#![no_main]
use dwindle::prelude::*;

dwindle::fuzz_target!(|tc: TestCase| {
    let number = tc.draw(any::<u8>());
    assert!(number < 200);
});

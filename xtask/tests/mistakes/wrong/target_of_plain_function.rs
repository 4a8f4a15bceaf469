//! A target names a plain function
//!
//! A target names a property. Mark the function with `#[dwindle::test]`.

#![no_main]
use dwindle::prelude::*;

fn is_small(tc: &mut TestCase) {
    let number = tc.draw(any::<u8>());
    assert!(number < 200);
}

dwindle::fuzz_target!(is_small);

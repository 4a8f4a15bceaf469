//! A target takes two values
//!
//! Take a tuple, or draw the values from the test case.

#![no_main]
dwindle::fuzz_target!(|small: u8, large: u16| {
    assert!(u16::from(small) <= large);
});

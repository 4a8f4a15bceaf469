//! A target takes two values
//!
//! Take a tuple, or draw the values from the test case.
//!
//! ```rust
//! dwindle::fuzz_target!(|values: (u8, u16)| {
//!     let (small, large) = values;
//!     assert!(u16::from(small) <= large);
//! });
//! ```

#![no_main]
dwindle::fuzz_target!(|small: u8, large: u16| {
    assert!(u16::from(small) <= large);
});

//! A target has no type for its value
//!
//! Write the type after the name. A target on the fuzzer's bytes uses
//! `dwindle::arbitrary::fuzz_target!`.

#![no_main]
dwindle::fuzz_target!(|data| {
    assert!(data.len() < 1000);
});

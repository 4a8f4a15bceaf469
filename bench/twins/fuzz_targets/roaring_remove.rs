//! The twin of `fuzz_targets/roaring_remove.rs`.
#![no_main]

use dwindle_fuzz::roaring::{Op, check};

libfuzzer_sys::fuzz_target!(|ops: Vec<Op>| check(&ops));

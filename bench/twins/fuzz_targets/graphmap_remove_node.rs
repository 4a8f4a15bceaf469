//! The twin of `fuzz_targets/graphmap_remove_node.rs`.
#![no_main]

use dwindle_fuzz::graphmap::{Op, check};

libfuzzer_sys::fuzz_target!(|ops: Vec<Op>| check(&ops));

//! See `large_values::graph_algorithms`.
#![no_main]

use large_values::graph_algorithms::{Op, check};

libfuzzer_sys::fuzz_target!(|input: Vec<Op>| check(&input));

//! See `large_values::graph_algorithms`.
#![no_main]

use large_values::graph_algorithms::{Op, check};

dwindle::fuzz_target!(|input: Vec<Op>| check(&input));

//! See `large_values::rectangle_tree`.
#![no_main]

use large_values::rectangle_tree::{Op, check};

dwindle::fuzz_target!(|input: Vec<Op>| check(&input));

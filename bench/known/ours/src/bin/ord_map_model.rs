//! See `known_values::ord_map_model`.
#![no_main]

use known_values::ord_map_model::{Op, check};

dwindle::fuzz_target!(|ops: Vec<Op>| check(&ops));

//! See `known_values::rangemap_model`.
#![no_main]

use known_values::rangemap_model::{Op, check};

dwindle::fuzz_target!(|ops: Vec<Op>| check(&ops));

//! See `known_values::matrix_graph_model`.
#![no_main]

use known_values::matrix_graph_model::{Op, check};

dwindle::fuzz_target!(|ops: Vec<Op>| check(&ops));

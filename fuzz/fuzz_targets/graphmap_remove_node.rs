//! petgraph's directed graph map against a model. Finds edges that outlive their node.
#![no_main]

use dwindle_fuzz::graphmap::{Op, check};

dwindle::fuzz_target!(|ops: Vec<Op>| check(&ops));

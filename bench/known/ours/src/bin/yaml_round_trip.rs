//! See `known_values::yaml_round_trip`.
#![no_main]

use known_values::yaml_round_trip::{Tree, check};

dwindle::fuzz_target!(|tree: Tree| check(&tree));

//! See `known_values::radix_trie_model`.
#![no_main]

use known_values::radix_trie_model::{Op, check};

dwindle::fuzz_target!(|ops: Vec<Op>| check(&ops));

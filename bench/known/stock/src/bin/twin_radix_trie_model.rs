//! See `known_values::radix_trie_model`.
#![no_main]

use known_values::radix_trie_model::{Op, check};

libfuzzer_sys::fuzz_target!(|ops: Vec<Op>| check(&ops));

//! See `known_values::radix_trie_model`.

use known_values::radix_trie_model::{Op, check};

fn main() {
    afl::fuzz!(|ops: Vec<Op>| {
        check(&ops);
    });
}

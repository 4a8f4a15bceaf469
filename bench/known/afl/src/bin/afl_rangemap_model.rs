//! See `known_values::rangemap_model`.

use known_values::rangemap_model::{Op, check};

fn main() {
    afl::fuzz!(|ops: Vec<Op>| {
        check(&ops);
    });
}

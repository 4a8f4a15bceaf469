//! See `known_values::ord_map_model`.

use known_values::ord_map_model::{Op, check};

fn main() {
    afl::fuzz!(|ops: Vec<Op>| {
        check(&ops);
    });
}

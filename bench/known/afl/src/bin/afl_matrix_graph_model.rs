//! See `known_values::matrix_graph_model`.

use known_values::matrix_graph_model::{Op, check};

fn main() {
    afl::fuzz!(|ops: Vec<Op>| {
        check(&ops);
    });
}

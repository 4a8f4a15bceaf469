//! See `known_values::yaml_round_trip`.

use known_values::yaml_round_trip::{Tree, check};

fn main() {
    afl::fuzz!(|tree: Tree| {
        check(&tree);
    });
}

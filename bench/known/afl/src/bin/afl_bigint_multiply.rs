//! See `known_values::bigint_multiply`.

use known_values::bigint_multiply::{Part, check};

fn main() {
    afl::fuzz!(|input: (Vec<Part>, Vec<Part>)| {
        let (left, right) = input;
        check(&left, &right);
    });
}

//! See `known_values::circular_buffer_eq`.

use known_values::circular_buffer_eq::{Op, check};

fn main() {
    afl::fuzz!(|input: (Vec<Op>, Vec<Op>)| {
        let (left, right) = input;
        check(&left, &right);
    });
}

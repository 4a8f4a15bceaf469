//! See `known_values::regex_find`.

use known_values::regex_find::{Expression, check};

fn main() {
    afl::fuzz!(|expression: Expression| {
        check(&expression);
    });
}

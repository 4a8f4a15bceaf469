//! See `known_values::regex_find`.

use known_values::regex_find::{Expression, Letter, check};

fn main() {
    afl::fuzz!(|input: (Expression, Vec<Letter>)| {
        let (expression, text) = input;
        check(&expression, &text);
    });
}

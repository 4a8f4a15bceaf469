//! See `known_values::wildmatch_model`.

use known_values::wildmatch_model::check;

fn main() {
    afl::fuzz!(|input: (String, String)| {
        let (pattern, text) = input;
        check(&pattern, &text);
    });
}

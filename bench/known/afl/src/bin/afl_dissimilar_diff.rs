//! See `known_values::dissimilar_diff`.

use known_values::dissimilar_diff::check;

fn main() {
    afl::fuzz!(|input: (String, String)| {
        let (old, new) = input;
        check(&old, &new);
    });
}

//! See `known_values::isbn_hyphenate`.

use known_values::isbn_hyphenate::check;

fn main() {
    afl::fuzz!(|text: String| {
        check(&text);
    });
}

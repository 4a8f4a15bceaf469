//! See `known_values::dissimilar_diff`.
#![no_main]

use known_values::dissimilar_diff::check;

libfuzzer_sys::fuzz_target!(|input: (String, String)| {
    let (old, new) = input;
    check(&old, &new);
});

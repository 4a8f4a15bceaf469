//! See `known_values::wildmatch_model`.
#![no_main]

use known_values::wildmatch_model::check;

libfuzzer_sys::fuzz_target!(|input: (String, String)| {
    let (pattern, text) = input;
    check(&pattern, &text);
});

//! See `known_values::wildmatch_model`.
#![no_main]

use dwindle::prelude::*;
use known_values::wildmatch_model::check;

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let (pattern, text) = tc.draw(any::<(String, String)>());
    check(&pattern, &text);
});

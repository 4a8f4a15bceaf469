//! See `known_values::dissimilar_diff`.
#![no_main]

use dwindle::prelude::*;
use known_values::dissimilar_diff::check;

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let (old, new) = tc.draw(any::<(String, String)>());
    check(&old, &new);
});

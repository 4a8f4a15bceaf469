//! What a crashed process leaves behind, whole, cut off or overwritten, as its parent reads it.
#![no_main]

use dwindle::prelude::*;
use dwindle_fuzz::crash_record::{Damage, check};

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let input = tc.draw(g::bytes());
    let damage = tc.draw(any::<Vec<Damage>>());
    check(&input, &damage);
});

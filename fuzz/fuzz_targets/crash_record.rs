//! What a crashed process leaves behind, whole, cut off or overwritten, as its parent reads it.
#![no_main]

use dwindle::prelude::*;
use dwindle_fuzz::crash_record::{Damage, check};

/// The code of dwindle counts as coverage here.
// SAFETY: only dwindle has a symbol of this name, and it reads no more than the address.
#[unsafe(export_name = "dwindle_is_under_test")]
static TESTS_DWINDLE: u8 = 0;

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let input = tc.draw(g::bytes());
    let damage = tc.draw(any::<Vec<Damage>>());
    check(&input, &damage);
});

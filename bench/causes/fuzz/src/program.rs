//! One of the programs with all of its faults, behind one assertion.
//!
//! `CAUSES_PROGRAM` names the program. So the measurement builds one target for all of them.
#![no_main]

use std::sync::LazyLock;

use causes::program::{Faults, Program};

static PROGRAM: LazyLock<&Program> = LazyLock::new(|| {
    let name = std::env::var("CAUSES_PROGRAM").unwrap_or_default();
    causes::all().find(|program| program.name == name).expect("CAUSES_PROGRAM names no program")
});

dwindle::fuzz_target!(|tc: &mut TestCase| {
    let agrees = (PROGRAM.agrees)(tc, Faults::all(PROGRAM.faults));
    assert!(agrees, "the program and its model disagree");
});

//! A target's value has a type without a generator
//!
//! Derive `Generate` for the type.

#![no_main]
#[derive(Debug)]
enum Op {
    Push(u8),
    Pop,
}

dwindle::fuzz_target!(|ops: Vec<Op>| {
    assert!(ops.len() < 100);
});

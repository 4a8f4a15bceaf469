//! A target's value has a type without `Debug`
//!
//! The report of a failure shows the drawn value, so its type is `Debug`.

#![no_main]
use dwindle::prelude::*;

#[derive(Generate)]
enum Op {
    Push(u8),
    Pop,
}

dwindle::fuzz_target!(|ops: Vec<Op>| {
    assert!(ops.len() < 100);
});

use dwindle::prelude::*;

#[derive(Debug, Generate)]
enum Op {
    Push(u8),
    Pop,
}

dwindle::fuzz_target!(|ops: Vec<Op>| {
    assert!(ops.len() < 100);
});

//! See `dwindle_fuzz`; the target is `fuzz/fuzz_targets/roaring_remove.rs`.

use dwindle_fuzz::roaring::{Op, check};

fn main() {
    afl::fuzz!(|ops: Vec<Op>| {
        check(&ops);
    });
}

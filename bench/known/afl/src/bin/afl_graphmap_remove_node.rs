//! See `dwindle_fuzz`; the target is `fuzz/fuzz_targets/graphmap_remove_node.rs`.

use dwindle_fuzz::graphmap::{Op, check};

fn main() {
    afl::fuzz!(|ops: Vec<Op>| {
        check(&ops);
    });
}

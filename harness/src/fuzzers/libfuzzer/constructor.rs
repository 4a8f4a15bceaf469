//! What runs before main: the decision between dwindle's run and passthrough, and libFuzzer's first counters.

use super::{coverage, passthrough};

/// Before the compiler's own constructors, which give libFuzzer the whole table, it gets the first counters. A table that begins where its last one does it takes for one
/// that it has.
#[used]
#[unsafe(link_section = ".init_array.1")]
static FIRST: extern "C" fn() = {
    extern "C" fn first() {
        if passthrough::decide() {
            coverage::tables().give_first();
        } else {
            coverage::give_first_block();
        }
    }
    first
};

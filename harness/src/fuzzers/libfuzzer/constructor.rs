//! Code that runs before main: it chooses between dwindle's run and passthrough, and gives
//! libFuzzer its first counters.

use super::{coverage, passthrough};

/// Gives libFuzzer the first counters before the compiler's own constructors run. Those give
/// libFuzzer the whole table.
///
/// libFuzzer ignores a table that begins where its last one begins, so it ignores the whole table.
#[used]
#[unsafe(link_section = ".init_array.1")]
static FIRST: extern "C" fn() = {
    extern "C" fn first() {
        if passthrough::decide() {
            coverage::tables().give_first();
        } else {
            coverage::give_first_function();
        }
    }
    first
};

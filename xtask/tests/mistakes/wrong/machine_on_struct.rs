//! `#[dwindle::state_machine]` stands on a struct
//!
//! The attribute belongs on the `impl` block with the rules.

use dwindle::prelude::*;

#[dwindle::state_machine]
struct Counter(u32);

fn property(tc: &mut TestCase) {
    let _counter = Counter(tc.draw(any::<u32>()));
}

fn main() {}

//! `#[dwindle::state_machine]` stands on a struct
//!
//! The attribute belongs on the `impl` block with the rules.
//!
//! ```rust
//! struct Counter(u32);
//!
//! #[dwindle::state_machine]
//! impl Counter {
//!     #[rule]
//!     fn add(&mut self, number: u8) {
//!         self.0 += u32::from(number);
//!     }
//! }
//! ```

use dwindle::prelude::*;

#[dwindle::state_machine]
struct Counter(u32);

fn property(tc: &mut TestCase) {
    let _counter = Counter(tc.draw(any::<u32>()));
}

fn main() {}

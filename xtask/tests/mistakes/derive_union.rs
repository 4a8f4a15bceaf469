//! A union is derived
//!
//! Draw an enum and make the union of it.
//!
//! ```rust
//! impl Generate for Bits {
//!     fn generate(tc: &mut TestCase) -> Bits {
//!         Bits { whole: tc.draw_silent(any::<u32>()) }
//!     }
//! }
//! ```

use dwindle::prelude::*;

#[derive(Clone, Copy, Generate)]
union Bits {
    whole: u32,
    bytes: [u8; 4],
}

fn property(tc: &mut TestCase) {
    let _bits = tc.draw_silent(any::<Bits>());
}

fn main() {}

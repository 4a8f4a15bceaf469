//! A union is derived
//!
//! Implement `Generate` by hand, with the field that is drawn.

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

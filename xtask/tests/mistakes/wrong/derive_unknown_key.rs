//! A field has an unknown key
//!
//! The only key of a field is `with`.

use dwindle::prelude::*;

#[derive(Debug, Generate)]
struct Die {
    #[generate(range = 1..=6)]
    eyes: u8,
}

fn property(tc: &mut TestCase) {
    let die = tc.draw(any::<Die>());
    assert!(die.eyes <= 6);
}

fn main() {}

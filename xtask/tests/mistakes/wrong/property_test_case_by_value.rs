//! The test case is taken by value
//!
//! The test case is lent: `tc: &mut TestCase`.

use dwindle::prelude::*;

#[dwindle::test]
fn is_small(mut tc: TestCase) {
    let number = tc.draw(any::<u8>());
    assert!(u16::from(number) < 256);
}

fn main() {}

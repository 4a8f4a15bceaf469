//! A length is not a `usize`
//!
//! `.len(..)` takes a number of type `usize`, or a range of such numbers.

use dwindle::prelude::*;

#[dwindle::test]
fn is_short(count: u8, tc: &mut TestCase) {
    let text = tc.draw(g::text().len(count));
    assert_eq!(text.chars().count(), usize::from(count));
}

fn main() {}

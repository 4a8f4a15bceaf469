//! A property also has `#[test]`
//!
//! `#[dwindle::test]` makes the test. Remove the other attribute.

#[dwindle::test]
#[test]
fn is_small(number: u8) {
    assert!(u16::from(number) < 256);
}

fn main() {}

//! A property returns a value that is not a `Result`
//!
//! A property fails by a panic or by an error. Assert the condition.

#[dwindle::test]
fn is_small(number: u8) -> bool {
    u16::from(number) < 256
}

fn main() {}

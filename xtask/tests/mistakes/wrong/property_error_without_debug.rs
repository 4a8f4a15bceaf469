//! The error of a property is not `Debug`
//!
//! The report of a failure shows the error that the property returns.

struct Unreadable;

#[dwindle::test]
fn reads(text: String) -> Result<(), Unreadable> {
    if text.chars().count() <= text.len() { Ok(()) } else { Err(Unreadable) }
}

fn main() {}

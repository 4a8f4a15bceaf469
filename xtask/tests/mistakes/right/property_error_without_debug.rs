#[derive(Debug)]
struct Unreadable;

#[dwindle::test]
fn reads(text: String) -> Result<(), Unreadable> {
    if text.chars().count() <= text.len() { Ok(()) } else { Err(Unreadable) }
}

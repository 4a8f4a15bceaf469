use dwindle::prelude::*;

#[dwindle::test]
fn is_text(#[generate(with = g::text().len(1))] text: &str) {
    assert!(text.chars().count() <= text.len());
}

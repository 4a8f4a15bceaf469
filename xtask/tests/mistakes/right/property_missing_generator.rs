use dwindle::prelude::*;

#[dwindle::test]
fn is_small(#[generate(with = g::integers(0..9))] number: u8) {
    assert!(number < 9);
}

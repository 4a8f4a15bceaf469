use dwindle::prelude::*;

#[dwindle::test]
fn is_small(#[generate(with = g::integers(1..10))] number: u8) {
    assert!(number < 10);
}

use dwindle::prelude::*;

#[dwindle::test]
fn halves(#[generate(with = g::integers(0..=100))] number: u64) {
    assert!(number / 2 <= 50);
}

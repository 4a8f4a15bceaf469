use dwindle::prelude::*;

#[dwindle::test]
fn halves(#[generate(with = g::integers(0..=100u32).map(u64::from))] number: u64) {
    assert!(number / 2 <= 50);
}

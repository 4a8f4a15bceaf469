use dwindle::prelude::*;

#[dwindle::test]
fn is_small(
    #[generate(with = g::one_of([g::integers(0..9u8), g::integers(20..29u8)]))] number: u8,
) {
    assert!(number < 30);
}

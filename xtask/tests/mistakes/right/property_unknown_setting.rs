use dwindle::prelude::*;

#[dwindle::test(max_cases = 500)]
fn is_even(#[generate(with = g::integers(0..9).map(|half| 2 * half))] number: u8) {
    assert_eq!(number % 2, 0);
}

//! A range stands in place of the generator of an argument
//!
//! A range is not a generator. Write `g::integers(..)` or `g::floats(..)` around it.

#[dwindle::test]
fn halves(#[generate(with = 0..=100)] number: u64) {
    assert!(number / 2 <= 50);
}

fn main() {}

//! fixedbitset 0.5.7: `difference_count` ignores the blocks that only the left set has.

use dwindle::prelude::*;
use fixedbitset::FixedBitSet;

/// The counts of set operations are those of the elements that the operations yield.
pub fn counts(tc: &mut TestCase) {
    let (left, right) = tc.draw(any::<(Vec<u8>, Vec<u8>)>());
    let set = |bits: &[u8]| bits.iter().map(|bit| usize::from(*bit)).collect::<FixedBitSet>();
    let (left, right) = (set(&left), set(&right));
    assert_eq!(left.union_count(&right), left.union(&right).count());
    assert_eq!(left.intersection_count(&right), left.intersection(&right).count());
    assert_eq!(left.difference_count(&right), left.difference(&right).count());
    assert_eq!(left.symmetric_difference_count(&right), left.symmetric_difference(&right).count());
}

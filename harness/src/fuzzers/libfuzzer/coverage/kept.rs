//! What the inputs that libFuzzer kept have covered.
//!
//! libFuzzer keeps an input for new coverage, and also if it only is smaller than the one before.
//! It does not say which.

use std::ops::Range;
use std::ptr;

/// For each counter the ranges of counts that it has had, as bits. The counters are those of
/// libFuzzer's tables, in order.
#[derive(Debug, Default)]
pub(super) struct Kept(Vec<Vec<u8>>);

impl Kept {
    /// Adds the counts of the last execution. Returns whether one of them was in a new range.
    pub(super) fn adds(&mut self, tables: &[Range<usize>]) -> bool {
        self.0.resize(tables.len(), Vec::new());
        let mut is_new = false;
        for (table, seen) in tables.iter().zip(&mut self.0) {
            seen.resize(table.len(), 0);
            for (counter, seen) in table.clone().zip(seen) {
                // SAFETY: the linker gives the addresses of the counters.
                let bit = range_of(unsafe { ptr::with_exposed_provenance::<u8>(counter).read() });
                is_new |= bit & !*seen != 0;
                *seen |= bit;
            }
        }
        is_new
    }
}

/// The bit of the range of counts that libFuzzer takes for one feature.
fn range_of(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..8 => 8,
        8..16 => 16,
        16..32 => 32,
        32..128 => 64,
        128.. => 128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_new_once_for_each_range_and_counter() {
        let mut counters = [0_u8; 4];
        let start = counters.as_mut_ptr().expose_provenance();
        let tables = [start..start + 3, start + 3..start + 4];
        let mut kept = Kept::default();
        let mut adds = |counts: [u8; 4]| {
            counters = counts;
            kept.adds(&tables)
        };
        assert!(!adds([0, 0, 0, 0]));
        assert!(adds([1, 0, 0, 0]));
        assert!(!adds([1, 0, 0, 0]));
        assert!(adds([5, 0, 0, 0]));
        assert!(!adds([7, 0, 0, 0]));
        assert!(adds([0, 0, 0, 1]));
        assert!(!adds([1, 0, 0, 1]));
    }
}

//! rangemap 0.1.8: an insertion may leave two touching ranges of one value apart. Fixed in 0.1.9.

use std::ops::Range;

use rangemap::RangeMap;

/// One call on the map. A range is the numbers from `start` on, `length` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "the fields are said in the line above")]
pub enum Op {
    /// Gives a range a value.
    Insert { start: u8, length: u8, value: u8 },
    /// Takes the values of a range.
    Remove { start: u8, length: u8 },
}

/// The map has the fewest ranges that say what an array says.
///
/// # Panics
///
/// If it has other values or ranges.
pub fn check(ops: &[Op]) {
    let mut map = RangeMap::new();
    let mut model = [None; 512];
    for &op in ops {
        let (start, length, value) = match op {
            Op::Insert { start, length, value } => (start, length, Some(value)),
            Op::Remove { start, length } => (start, length, None),
        };
        // The crate panics on an empty range, as it says.
        if length == 0 {
            continue;
        }
        let range = usize::from(start)..usize::from(start) + usize::from(length);
        model[range.clone()].fill(value);
        match value {
            Some(value) => map.insert(range, value),
            None => map.remove(range),
        }
        assert!(model.iter().zip(0..).all(|(value, at)| map.get(&at) == value.as_ref()));
        let ranges = map.iter().map(|(range, value)| (range.clone(), *value));
        assert_eq!(ranges.collect::<Vec<_>>(), runs(&model));
    }
}

/// The longest ranges with one value.
fn runs(model: &[Option<u8>]) -> Vec<(Range<usize>, u8)> {
    let mut end = 0;
    let mut runs = Vec::new();
    for run in model.chunk_by(PartialEq::eq) {
        let start = end;
        end += run.len();
        runs.extend(run[0].map(|value| (start..end, value)));
    }
    runs
}

//! roaring's `RoaringBitmap` beside a `BTreeSet`.
//!
//! roaring 0.11.4: `remove_smallest` and `remove_biggest` corrupt a run container when the count
//! ends exactly where one of its inner runs does. They are two bugs, one in each function.

use std::collections::BTreeSet;

use roaring::RoaringBitmap;

/// One call on the bitmap. A range is the values from `start` on, `len` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "the fields are said in the line above")]
pub enum Op {
    /// Inserts one value.
    Insert(u16),
    /// Removes one value.
    Remove(u16),
    /// Inserts a range.
    InsertRange { start: u16, len: u8 },
    /// Removes a range.
    RemoveRange { start: u16, len: u8 },
    /// Removes this number of the smallest values.
    RemoveSmallest(u8),
    /// Removes this number of the biggest values.
    RemoveBiggest(u8),
    /// Turns containers into runs where that is smaller.
    Optimize,
}

/// Runs the calls on the bitmap and on the model and compares all values after each call.
///
/// # Panics
///
/// Where they differ.
pub fn check(ops: &[Op]) {
    let mut bitmap = RoaringBitmap::new();
    let mut model = BTreeSet::new();
    for &op in ops {
        match op {
            Op::Insert(value) => {
                let value = u32::from(value);
                assert_eq!(bitmap.insert(value), model.insert(value));
            }
            Op::Remove(value) => {
                let value = u32::from(value);
                assert_eq!(bitmap.remove(value), model.remove(&value));
            }
            Op::InsertRange { start, len } => {
                let range = u32::from(start)..u32::from(start) + u32::from(len);
                let inserted = range.clone().filter(|&value| model.insert(value)).count();
                assert_eq!(bitmap.insert_range(range), inserted as u64);
            }
            Op::RemoveRange { start, len } => {
                let range = u32::from(start)..u32::from(start) + u32::from(len);
                let removed = range.clone().filter(|value| model.remove(value)).count();
                assert_eq!(bitmap.remove_range(range), removed as u64);
            }
            Op::RemoveSmallest(count) => {
                bitmap.remove_smallest(u64::from(count));
                for _ in 0..count {
                    model.pop_first();
                }
                assert_eq!(bitmap.min(), model.first().copied());
            }
            Op::RemoveBiggest(count) => {
                bitmap.remove_biggest(u64::from(count));
                for _ in 0..count {
                    model.pop_last();
                }
                assert_eq!(bitmap.max(), model.last().copied());
            }
            Op::Optimize => {
                bitmap.optimize();
            }
        }
        assert_eq!(bitmap.len(), model.len() as u64);
        assert!(bitmap.iter().eq(model.iter().copied()), "{bitmap:?} is not {model:?}");
    }
}

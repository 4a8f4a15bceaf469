//! smallvec's `SmallVec` beside a `Vec`.
//!
//! smallvec 1.6.0: `insert_many` overruns its buffer when the iterator yields more than the lower
//! bound of its size hint (RUSTSEC-2021-0003).

use smallvec::SmallVec;

/// One call on the vector.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "dwindle", derive(dwindle::Generate))]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "the fields are said in the line above")]
pub enum Op {
    /// Inserts values at `at` (wrapping around). Its iterator promises `promised` values at most.
    InsertMany { at: u8, values: Vec<u8>, promised: u8 },
    /// Keeps this number of values at most.
    Truncate(u8),
    /// Gives back what memory is not needed.
    Shrink,
}

/// An iterator that may yield more than it promises. Its size hint is a correct one.
struct Promising {
    values: std::vec::IntoIter<u8>,
    promised: usize,
}

impl Iterator for Promising {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        self.promised = self.promised.saturating_sub(1);
        self.values.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.promised.min(self.values.len()), None)
    }
}

/// Runs the calls on the vector and on the model and compares all values after each call.
///
/// # Panics
///
/// Where they differ.
pub fn check(ops: &[Op]) {
    // On the heap, so that nothing of ours lies beside the values that are held inline.
    let mut small: Box<SmallVec<[u8; 4]>> = Box::default();
    let mut model = Vec::new();
    for op in ops {
        match op {
            Op::InsertMany { at, values, promised } => {
                let at = usize::from(*at) % (model.len() + 1);
                small.insert_many(
                    at,
                    Promising {
                        values: values.clone().into_iter(),
                        promised: usize::from(*promised),
                    },
                );
                model.splice(at..at, values.iter().copied());
            }
            Op::Truncate(length) => {
                small.truncate(usize::from(*length));
                model.truncate(usize::from(*length));
            }
            Op::Shrink => small.shrink_to_fit(),
        }
        assert_eq!(small[..], model[..]);
    }
}

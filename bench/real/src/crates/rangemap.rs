//! rangemap 0.1.8: an insertion may leave two touching ranges of one value apart.

use arbitrary::Arbitrary;
use dwindle::prelude::*;
use rangemap::RangeMap;

#[derive(Arbitrary, Debug, Generate)]
enum Op {
    Insert { start: u8, length: u8, value: bool },
    Remove { start: u8, length: u8 },
}

/// The map has the fewest ranges that say what an array says.
pub fn model(tc: &mut TestCase) {
    check(&tc.draw(any::<Vec<Op>>()));
}

/// The same as a drop-in target.
pub fn model_drop_in(tc: &mut TestCase) {
    super::drop_in(tc, |ops: Vec<Op>| check(&ops));
}

fn check(ops: &[Op]) {
    let mut map = RangeMap::new();
    let mut model = [None; 512];
    for op in ops {
        let (&start, &length) = match op {
            Op::Insert { start, length, .. } | Op::Remove { start, length } => (start, length),
        };
        // The crate panics on an empty range, as it says.
        if length == 0 {
            continue;
        }
        let range = usize::from(start)..usize::from(start) + usize::from(length);
        if let Op::Insert { value, .. } = op {
            map.insert(range.clone(), *value);
            model[range].fill(Some(*value));
        } else {
            map.remove(range.clone());
            model[range].fill(None);
        }
        let expected: Vec<_> = model
            .chunk_by(|left, right| left == right)
            .scan(0, |end, values| {
                let start = *end;
                *end += values.len();
                Some((start..*end, values[0]))
            })
            .filter_map(|(range, value)| Some((range, value?)))
            .collect();
        assert!(map.iter().map(|(range, value)| (range.clone(), *value)).eq(expected));
    }
}

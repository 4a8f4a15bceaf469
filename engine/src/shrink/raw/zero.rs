//! Sets bytes to zero, as many at once as possible.

use super::super::search::{Fruitless, Search};
use super::{input, length, put_at};

const FRUITLESS: u64 = 3000;

/// Sets all bytes to zero. If that does not hold, the pass tries each half by itself, the one at
/// the back first.
pub(super) fn blocks(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    let mut open = vec![(0, length(search))];
    while let Some((start, end)) = open.pop() {
        if fruitless.is_enough(search) {
            return;
        }
        let is_zero = input(search)[start..end].iter().all(|byte| *byte == 0);
        if !is_zero && !put_at(search, start, &vec![0; end - start]) && end - start > 1 {
            let middle = start.midpoint(end);
            open.extend([(start, middle), (middle, end)]);
        }
    }
}

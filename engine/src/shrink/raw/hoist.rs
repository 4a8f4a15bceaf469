//! Puts a part in the place of the whole that it belongs to.

use super::super::search::{Fruitless, Search};
use super::{input, length, put};

const FRUITLESS: u64 = 500;
/// The lengths that the bytes in front of the part may have: a flag, a variant, and a field in
/// front of it.
const HEADS: [usize; 6] = [1, 4, 5, 8, 9, 12];
/// The greatest length of the bytes behind the part.
const TAIL_MAX: usize = 16;

/// Deletes the bytes in front of a part, and some zeros behind it. Of two branches, the unneeded
/// one has mostly become the simplest already. In a row of zeros, it makes no difference which of
/// them go.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for head in HEADS {
        let mut at = length(search);
        while at > 0 {
            at -= 1;
            let bytes = input(search);
            if at + head > bytes.len() {
                continue;
            }
            for zeros in rows_of_zeros(&bytes, at + head) {
                for tail in 1..=TAIL_MAX.min(zeros.len()) {
                    if fruitless.is_enough(search) {
                        return;
                    }
                    put(
                        search,
                        [
                            &bytes[..at],
                            &bytes[at + head..zeros.start],
                            &bytes[zeros.start + tail..],
                        ],
                    );
                }
            }
            at = at.min(length(search));
        }
    }
}

fn rows_of_zeros(bytes: &[u8], from: usize) -> Vec<std::ops::Range<usize>> {
    let mut rows = Vec::new();
    let mut at = from;
    while at < bytes.len() {
        let end =
            bytes[at..].iter().position(|byte| *byte != 0).map_or(bytes.len(), |zeros| at + zeros);
        if end > at {
            rows.push(at..end);
        }
        at = end + 1;
    }
    rows
}

//! Shrinks numbers whose most significant byte comes first: raises one byte by one, and sets the
//! bytes behind it to zero.

use super::super::search::{Fruitless, Search};
use super::{WIDTHS, input, length, put};

const FRUITLESS: u64 = 200;

/// Raises a byte by one and sets the bytes behind it to zero, up to the width of a number. 999 in
/// two such bytes, 0x03E7, becomes 0x0400.
pub(super) fn each(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for at in (1..length(search)).rev() {
        for behind in WIDTHS.map(|width| width - 1) {
            let bytes = input(search);
            if at + behind <= bytes.len()
                && bytes[at..at + behind].iter().any(|byte| *byte > 0)
                && let Some(more) = bytes[at - 1].checked_add(1)
            {
                put(search, [&bytes[..at - 1], &[more], &[0; 8][..behind], &bytes[at + behind..]]);
            }
        }
        if fruitless.is_enough(search) {
            return;
        }
    }
}

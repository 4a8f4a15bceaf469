//! Shrinks lengths that stand at the end of an input, as `Unstructured` takes them. A length has
//! one byte, or two bytes where more than 256 bytes are left. It counts modulo what is left.

use super::super::search::{Fruitless, Search};
use super::{input, length, put};

const FRUITLESS: u64 = 400;
/// How many bytes at the end the passes take for lengths.
const LENGTHS_MAX: usize = 8;
/// How many bytes the target may read before the counted ones.
const BEFORE_MAX: usize = 8;

/// Keeps a few bytes of the front and a piece of the rest, and appends one byte that counts the
/// piece. This is for inputs in which a length of two bytes must become one of one byte.
pub(super) fn window(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    let mut size = 255;
    while size > 0 && length(search) > 257 && !fruitless.is_enough(search) {
        let bytes = input(search);
        let starts = (0..=bytes.len() - size).step_by(size.div_ceil(2));
        let found = starts
            .flat_map(|start| (0..=BEFORE_MAX.min(start)).map(move |before| (start, before)))
            .any(|(start, before)| {
                !fruitless.is_enough(search)
                    && put(search, [&bytes[..before], &bytes[start..start + size], &[size as u8]])
            });
        if found {
            return;
        }
        size /= 2;
    }
}

/// Lowers each of the last bytes by an amount, and deletes as many bytes further in front.
pub(super) fn lowered(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for back in 1..=LENGTHS_MAX {
        reduced(search, back);
        let mut size = 128;
        while size > 0 {
            let mut end = length(search).saturating_sub(back);
            while end >= size && !fruitless.is_enough(search) {
                let bytes = input(search);
                let at = bytes.len() - back;
                if usize::from(bytes[at]) < size {
                    break;
                }
                let found = put(
                    search,
                    [
                        &bytes[..end - size],
                        &bytes[end..at],
                        &[bytes[at] - size as u8],
                        &bytes[at + 1..],
                    ],
                );
                // A piece that cannot go here may go elsewhere. Large pieces are tried only at some
                // places, to save calls.
                end = if found {
                    end.saturating_sub(size).min(length(search).saturating_sub(back))
                } else {
                    end - size.div_ceil(8).min(end)
                };
            }
            size /= 2;
        }
    }
}

/// Replaces a length by its remainder modulo what may be left for it. The remainder means the same,
/// and can go down with what it counts.
fn reduced(search: &mut Search<'_>, back: usize) {
    let bytes = input(search);
    let Some(at) = bytes.len().checked_sub(back) else { return };
    for before in 0..BEFORE_MAX.min(at) {
        let modulus = at + 1 - before;
        if modulus <= usize::from(bytes[at]) {
            put(search, [&bytes[..at], &[bytes[at] % modulus as u8], &bytes[at + 1..]]);
        }
    }
}

/// Deletes one of the last bytes, together with as many bytes as it says, or a few more in front of
/// these. Such bytes may be an element with its length.
pub(super) fn counted(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    for back in 1..=LENGTHS_MAX {
        for more in [1, 0, 4, 5] {
            let mut start = length(search);
            while start > 0 && !fruitless.is_enough(search) {
                start -= 1;
                let bytes = input(search);
                let Some(at) = bytes.len().checked_sub(back) else { return };
                let end = start + usize::from(bytes[at]) + more;
                if start < end && end <= at {
                    put(search, [&bytes[..start], &bytes[end..at], &bytes[at + 1..]]);
                }
                start = start.min(length(search));
            }
        }
    }
}

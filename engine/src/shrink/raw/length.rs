//! Shrinks lengths at the end of an input, where arbitrary's `Unstructured` reads them. A length
//! has one byte, or two bytes where more than 256 bytes are left. `Unstructured` takes it modulo
//! the number of lengths that are possible then.

use super::super::search::{Fruitless, Search};
use super::{input, length, put};

const FRUITLESS: u64 = 400;
/// How many bytes at the end the passes treat as lengths.
const LENGTHS_MAX: usize = 8;
/// How many bytes the target may read before the counted ones.
const BEFORE_MAX: usize = 8;

/// Keeps a few bytes of the front and a piece of the rest, and appends one byte with the length of
/// the piece. Some inputs need this to replace a length of two bytes by a length of one byte.
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

/// Lowers each of the last bytes by an amount, and deletes the same number of bytes in front of it.
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

/// Replaces a length by its remainder modulo the number of possible lengths. The target reads the
/// same length from it. Other passes can lower the remainder together with the bytes that it
/// counts.
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

/// Deletes one of the last bytes, and elsewhere as many bytes as its value, or up to five more. The
/// last byte may be the length of an element, and the other bytes the element.
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

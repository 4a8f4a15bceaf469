//! Lengths that stand at the end of an input, as `Unstructured` takes them: one byte, two where more than 256 bytes are left, modulo what is left.

use super::super::search::{Fruitless, Search};
use super::{input, length, put};

const FRUITLESS: u64 = 400;
/// How many bytes at the end are taken for lengths.
const LENGTHS_MAX: usize = 8;
/// How many bytes may be read before what is counted.
const BEFORE_MAX: usize = 8;

/// A few bytes of the front and a piece of the rest, with one byte at the end that counts it: where a length of two bytes would have to become one of one byte.
pub(super) fn window(search: &mut Search<'_>) {
    let mut fruitless = Fruitless::new(search, FRUITLESS);
    let mut size = 255;
    while size > 0 && length(search) > 257 && !fruitless.is_enough(search) {
        let bytes = input(search);
        let starts = (0..=bytes.len() - size).step_by(size.div_ceil(2));
        let found = starts
            .flat_map(|start| (0..=BEFORE_MAX.min(start)).map(move |before| (start, before)))
            .any(|(start, before)| !fruitless.is_enough(search) && put(search, [&bytes[..before], &bytes[start..start + size], &[size as u8]]));
        if found {
            return;
        }
        size /= 2;
    }
}

/// Each of the last bytes less some, with as many bytes deleted further in front.
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
                let found = put(search, [&bytes[..end - size], &bytes[end..at], &[bytes[at] - size as u8], &bytes[at + 1..]]);
                // Where it does not go, it may go elsewhere; large pieces are not looked for at every place.
                end = if found { end.saturating_sub(size).min(length(search).saturating_sub(back)) } else { end - size.div_ceil(8).min(end) };
            }
            size /= 2;
        }
    }
}

/// The length modulo what may be left for it means the same, and goes down with it.
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

/// One of the last bytes gone together with as many bytes as it says, or some more that stand in front of them: an element with its length.
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

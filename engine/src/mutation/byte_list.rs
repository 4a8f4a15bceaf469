//! A collection of single bytes, as bytes side by side.
//!
//! In the encoded input, a continue choice of one byte stands before each byte, and one that says
//! no follows, unless the collection has its greatest length. A mutation of the encoded bytes
//! seldom changes two neighbours, and cannot put in a number or a word.

use super::Bytewise;

const MORE: u8 = 1;
const NO_MORE: u8 = 0;

/// Mutates the bytes of the collection with which this encoded input begins. What stands behind the
/// collection is left out. The result has at most `max` bytes. `None` if an element has no room.
pub(super) fn mutated(encoded: &[u8], max: usize, bytewise: Bytewise<'_>) -> Option<Vec<u8>> {
    let max = max.checked_sub(1)? / 2;
    (max > 0).then(|| {
        let mut bytes = from_list(encoded);
        bytewise(&mut bytes, max);
        to_list(&bytes, true)
    })
}

/// The bytes of the collection with which this encoded input begins.
pub(super) fn from_list(encoded: &[u8]) -> Vec<u8> {
    let (elements, _) = encoded.as_chunks::<2>();
    let length = elements.iter().position(|[more, _]| *more == NO_MORE);
    elements[..length.unwrap_or(elements.len())].iter().map(|[_, byte]| *byte).collect()
}

/// Encodes these bytes as a collection. `has_end` says whether a continue choice follows the last
/// one.
pub(super) fn to_list(bytes: &[u8], has_end: bool) -> Vec<u8> {
    let mut encoded = vec![MORE; 2 * bytes.len()];
    for ([_, place], byte) in encoded.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *place = *byte;
    }
    encoded.extend(has_end.then_some(NO_MORE));
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_a_list_and_bytes_again() {
        assert_eq!(to_list(&[7, 0], true), [1, 7, 1, 0, 0]);
        assert_eq!(to_list(&[7, 0], false), [1, 7, 1, 0]);
        assert_eq!(from_list(&[1, 7, 1, 0, 0]), [7, 0]);
    }

    #[test]
    fn the_bytes_of_a_list_are_mutated_side_by_side() {
        let mutated = |encoded: &[u8], max| {
            mutated(encoded, max, &mut |bytes, max| {
                bytes.splice(1..1, *b"asm");
                bytes.truncate(max);
            })
        };
        let longer = b"\x01\0\x01a\x01s\x01m\x01\x01\0";
        assert_eq!(mutated(&[1, 0, 5, 1, 0, 9], 20).unwrap(), longer);
        assert_eq!(mutated(&[1, 0, 1, 1], 5).unwrap(), b"\x01\0\x01a\0");
        assert_eq!(mutated(&[1, 0], 2), None);
    }

    #[test]
    fn a_list_may_be_written_otherwise() {
        assert_eq!(from_list(&[9, 7, 2, 0, 0, 1, 5]), [7, 0]);
        assert_eq!(from_list(&[9, 7, 2, 0]), [7, 0]);
        assert_eq!(from_list(&[9, 7, 2]), [7]);
        assert!(from_list(&[0, 7]).is_empty());
    }
}

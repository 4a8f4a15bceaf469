//! A few bytes in a row that a target compares with.

use std::fmt;

/// Bytes, mostly a text, at most [`Word::LENGTH_MAX`] of them. They need no memory elsewhere, so
/// processes can share words as numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word {
    /// Behind the word, zeros.
    bytes: [u8; Word::LENGTH_MAX],
    length: u8,
}

impl Word {
    /// The length of the longest word.
    pub const LENGTH_MAX: usize = 15;

    /// `None` if there are no bytes or too many.
    pub fn new(word: &[u8]) -> Option<Word> {
        (1..=Word::LENGTH_MAX).contains(&word.len()).then(|| {
            let mut bytes = [0; Word::LENGTH_MAX];
            bytes[..word.len()].copy_from_slice(word);
            Word { bytes, length: word.len() as u8 }
        })
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// The word as a text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()).ok()
    }

    /// The word as two numbers.
    pub fn to_numbers(self) -> [u64; 2] {
        let mut bytes = [self.length; 16];
        bytes[..Word::LENGTH_MAX].copy_from_slice(&self.bytes);
        let number = u128::from_le_bytes(bytes);
        [number as u64, (number >> 64) as u64]
    }

    /// The word of these two numbers. `None` if they are no word's.
    pub fn from_numbers([low, high]: [u64; 2]) -> Option<Word> {
        let bytes = (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
        Word::new(bytes[..Word::LENGTH_MAX].get(..usize::from(bytes[Word::LENGTH_MAX]))?)
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(self.as_bytes()).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_short() {
        for bytes in [&b"a"[..], b"end of", b"fifteen letters", b"\0asm", b"\xff\0"] {
            let word = Word::new(bytes).unwrap();
            assert_eq!(word.as_bytes(), bytes);
            assert_eq!(Word::from_numbers(word.to_numbers()), Some(word));
            assert_eq!(word.as_text().is_none(), bytes[0] == 0xff);
        }
        assert_eq!(Word::new(b""), None);
        assert_eq!(Word::new(b"sixteen letters."), None);
        assert_eq!(Word::from_numbers([0, 0]), None);
        assert_eq!(Word::from_numbers([u64::MAX; 2]), None);
    }
}

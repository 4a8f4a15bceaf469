//! Characters, texts, byte strings.

use super::Generator;
use super::lengths::{Lengths, length_of};
use super::shrinks::Towards;
use crate::alphabet::Alphabet;
use crate::choice::Length;
use crate::misuse::require;
use crate::test_case::TestCase;

/// Generates any character. Digits and letters are simpler than the rest.
pub fn characters() -> Characters {
    Characters { alphabet: Alphabet::ANY }
}

/// See [`characters`].
#[derive(Clone, Debug)]
pub struct Characters {
    alphabet: Alphabet,
}

impl Characters {
    /// Generates only characters of `alphabet`.
    #[must_use]
    #[track_caller]
    pub fn alphabet(self, alphabet: &str) -> Characters {
        Characters { alphabet: alphabet_of(alphabet) }
    }

    /// Generates only characters from `first` to `last`.
    ///
    /// # Panics
    /// If `first` lies above `last`.
    #[must_use]
    #[track_caller]
    pub fn range(self, first: char, last: char) -> Characters {
        Characters { alphabet: Alphabet::new([(first, last)]) }
    }

    /// Generates the same characters, with `towards` as the simplest. `towards` and the previous
    /// simplest character change places in the order and in bytes.
    ///
    /// # Panics
    /// If `towards` is not one of the characters.
    #[must_use]
    #[track_caller]
    pub fn shrink_towards(self, towards: char) -> Towards<Characters> {
        require!(
            self.alphabet.contains(towards),
            "{towards:?} is none of the characters, so nothing shrinks towards it; give a range or \
             alphabet that holds it"
        );
        let simplest = self.alphabet.simplest();
        Towards { inner: self, simplest, towards, same: |one, other| one == other }
    }
}

impl Generator for Characters {
    type Value = char;

    fn generate(&self, tc: &mut TestCase) -> char {
        tc.character(&self.alphabet)
    }
}

/// Generates any text, of any length. Shorter texts are simpler.
pub fn text() -> Texts {
    Texts { length: Length { min: 0, max: usize::MAX }, alphabet: Alphabet::ANY }
}

/// See [`text`].
#[derive(Clone, Debug)]
pub struct Texts {
    length: Length,
    alphabet: Alphabet,
}

impl Texts {
    /// Sets the number of characters: `5`, `..5` or `1..=5`.
    ///
    /// # Panics
    /// If the range is empty.
    #[must_use]
    #[track_caller]
    pub fn len(self, lengths: impl Lengths) -> Texts {
        Texts { length: length_of(lengths), ..self }
    }

    /// Generates only texts over the characters of `alphabet`.
    ///
    /// # Panics
    /// If `alphabet` is empty.
    #[must_use]
    #[track_caller]
    pub fn alphabet(self, alphabet: &str) -> Texts {
        Texts { alphabet: alphabet_of(alphabet), ..self }
    }
}

impl Generator for Texts {
    type Value = String;

    #[inline]
    fn generate(&self, tc: &mut TestCase) -> String {
        tc.text(self.length, &self.alphabet)
    }
}

/// Generates any byte string, of any length. Shorter ones are simpler.
pub fn bytes() -> ByteStrings {
    ByteStrings { length: Length { min: 0, max: usize::MAX } }
}

/// See [`bytes`].
#[derive(Clone, Copy, Debug)]
pub struct ByteStrings {
    length: Length,
}

impl ByteStrings {
    /// Sets the number of bytes: `5`, `..5` or `1..=5`.
    ///
    /// # Panics
    /// If the range is empty.
    #[must_use]
    #[track_caller]
    pub fn len(self, lengths: impl Lengths) -> ByteStrings {
        ByteStrings { length: length_of(lengths) }
    }
}

impl Generator for ByteStrings {
    type Value = Vec<u8>;

    fn generate(&self, tc: &mut TestCase) -> Vec<u8> {
        tc.bytes(self.length)
    }
}

#[track_caller]
fn alphabet_of(chars: &str) -> Alphabet {
    Alphabet::new(chars.chars().map(|c| (c, c)))
}

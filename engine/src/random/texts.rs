//! Random texts, character by character.

use super::Random;
use super::copies::Copies;
use crate::alphabet::char_of_rank;
use crate::alphabet::{Alphabet, RANKED_MAX};

impl Random {
    /// Draws a text of `length` characters: any characters, only digits, only lower-case letters,
    /// only marks, only two different characters, or copies of earlier characters.
    pub(super) fn text(&mut self, length: usize, alphabet: &Alphabet) -> String {
        let of_one_sort = self.rng.u8(..16);
        if of_one_sort == 5 {
            return self.text_of_copies(length, alphabet);
        }
        let two = [self.character(alphabet), self.character(alphabet)];
        let one = |random: &mut Random| match of_one_sort {
            0 => alphabet.nearest(random.rng.char('0'..='9')),
            1 => alphabet.nearest(random.rng.char('a'..='z')),
            2 | 3 => two[random.rng.usize(..2)],
            // Marks, because programs split texts at them.
            4 => alphabet.nearest(char_of_rank(random.rng.u32(62..95)).unwrap_or(' ')),
            _ => random.character(alphabet),
        };
        (0..length).map(|_| one(self)).collect()
    }

    fn text_of_copies(&mut self, length: usize, alphabet: &Alphabet) -> String {
        let copies = Copies::any(&mut self.rng);
        let mut text = Vec::with_capacity(length);
        for count in 0..length {
            let before =
                copies.of(&mut self.rng, count, length).and_then(|at| text.get(at).copied());
            text.push(before.unwrap_or_else(|| self.character(alphabet)));
        }
        text.into_iter().collect()
    }

    fn character(&mut self, alphabet: &Alphabet) -> char {
        if alphabet.count() > RANKED_MAX {
            // From a large alphabet, prefers the characters that are likely without an alphabet. A
            // uniform draw would give almost no ASCII.
            let mut tries = (0..4).map(|_| self.any_character());
            if let Some(character) = tries.find(|character| alphabet.contains(*character)) {
                return character;
            }
        }
        if self.rng.u8(..8) == 0 {
            alphabet.simplest()
        } else {
            alphabet.nth(self.rng.u32(..alphabet.count()))
        }
    }

    fn any_character(&mut self) -> char {
        match self.rng.u8(..16) {
            0..8 => char_of_rank(self.rng.u32(..62)).unwrap_or('0'),
            8..12 => char_of_rank(self.rng.u32(..95)).unwrap_or('0'),
            12 => char_of_rank(self.rng.u32(..128)).unwrap_or('0'),
            13 => char::from(self.rng.u8(..)),
            14 => self.rng.char('\u{80}'..'\u{D7FF}'),
            _ => self.rng.char(..),
        }
    }
}

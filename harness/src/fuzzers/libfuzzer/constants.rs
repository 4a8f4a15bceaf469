//! Gives the fuzzer the constants and words of the target when a run has lasted for a while.
//!
//! To read them takes about as long as the rest of a start, and many first bugs need none. But
//! libFuzzer reads a dictionary only at its start. So dwindle's mutator (`choice_mutations.rs`)
//! puts them into inputs, as often as libFuzzer would. It prefers those that have brought new
//! coverage, as libFuzzer does. Without that mutator, libFuzzer gets them in a file at
//! its start (`dictionary.rs`). The switch is `dictionary`.

use std::time::{Duration, Instant};

use dwindle_engine::internals::mutation::Word;

use super::arguments::Given;
use super::custom_mutator;
use super::dictionary::Dictionary;
use super::link::Link;
use crate::target::Target;

/// When the supervisor reads the constants, counted from its start. The fuzzer has usually run some
/// hundred inputs by then. If it has not begun, the supervisor waits again.
const LATE: Duration = Duration::from_millis(30);
/// libFuzzer has this many kinds of mutations. One puts in a word of its dictionary, and another
/// one a word that has brought new coverage before.
pub(super) const MUTATIONS: u32 = 13;
/// Of a text or a byte string alone, more mutations do: it is likely to be parsed.
pub(super) const MUTATIONS_OF_PART: u32 = 6;
/// Maximum number of constants that have brought new coverage, and of such words.
const USEFUL_MAX: usize = 64;

/// What the supervisor knows of the constants.
pub(super) struct LateConstants {
    target: &'static Target,
    link: Link,
    /// `None` if the fuzzer has them or gets none in this way.
    due: Option<Instant>,
}

impl LateConstants {
    pub(super) fn new(target: &'static Target, given: &Given, link: Link) -> LateConstants {
        let due = is_late(target, given).then(|| Instant::now() + LATE);
        LateConstants { target, link, due }
    }

    /// How long the supervisor may wait, at most this long.
    pub(super) fn wait_at_most(&self, patience: Duration) -> Duration {
        let left = self.due.map(|due| due.saturating_duration_since(Instant::now()));
        left.map_or(patience, |left| left.min(patience))
    }

    /// Gives the fuzzer the constants once they are due.
    pub(super) fn look(&mut self) {
        if self.due.is_none_or(|due| Instant::now() < due) {
            return;
        }
        if self.link.executions() == 0 {
            // The fuzzer still starts.
            self.due = Some(Instant::now() + LATE);
        } else {
            self.due = None;
            let dictionary = Dictionary::of(self.target);
            self.link.give_constants(&dictionary.constants);
            self.link.give_words(&dictionary.words);
        }
    }
}

/// Whether the fuzzer gets its constants late.
pub(super) fn is_late(target: &Target, given: &Given) -> bool {
    !given.dictionary && !target.is_drop_in() && custom_mutator::is_possible()
}

/// Random numbers of one mutation. This code is instrumented, so it does little.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u32) -> Random {
        Random(u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// A number below `end`, which is not 0.
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 32) as u32 % end
    }

    /// What this mutation of bytes puts in, if it does. Of this number of `mutations`, one does,
    /// and another one puts in something useful.
    pub(super) fn constant(
        &mut self,
        mutations: u32,
        link: Link,
        useful: &Useful,
    ) -> Option<Constant> {
        if link.constants() == 0 && link.words() == 0 {
            return None;
        }
        let is_useful = match self.below(mutations) {
            0 => false,
            1 => true,
            _ => return None,
        };
        let number = |random: &mut Random| {
            let number =
                if is_useful { random.one_of(&useful.numbers) } else { random.number(link) };
            number.map(Constant::Number)
        };
        let word = |random: &mut Random| {
            let word = if is_useful { random.one_of(&useful.words) } else { random.word(link) };
            word.map(Constant::Word)
        };
        if self.below(2) == 0 {
            number(self).or_else(|| word(self))
        } else {
            word(self).or_else(|| number(self))
        }
    }

    /// A constant of two bytes, half of the time a useful one. `None` if there are none.
    pub(super) fn any_number(&mut self, link: Link, useful: &Useful) -> Option<u16> {
        let useful = if self.below(2) == 0 { self.one_of(&useful.numbers) } else { None };
        useful.or_else(|| self.number(link))
    }

    /// A word, half of the time a useful one. `None` if there are none.
    pub(super) fn any_word(&mut self, link: Link, useful: &Useful) -> Option<Word> {
        let useful = if self.below(2) == 0 { self.one_of(&useful.words) } else { None };
        useful.or_else(|| self.word(link))
    }

    fn number(&mut self, link: Link) -> Option<u16> {
        let count = link.constants();
        (count > 0).then(|| link.constant(self.below(count)))
    }

    fn word(&mut self, link: Link) -> Option<Word> {
        let count = link.words();
        if count > 0 { link.word(self.below(count)) } else { None }
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        let count = all.len() as u32;
        (count > 0).then(|| all[self.below(count) as usize])
    }
}

/// Something that the target compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    /// Two bytes.
    Number(u16),
    Word(Word),
}

/// What has brought new coverage.
#[derive(Default)]
pub(super) struct Useful {
    numbers: Vec<u16>,
    words: Vec<Word>,
}

impl Useful {
    pub(super) fn add(&mut self, constant: Constant) {
        match constant {
            Constant::Number(number) => keep(&mut self.numbers, number),
            Constant::Word(word) => keep(&mut self.words, word),
        }
    }
}

fn keep<T: PartialEq>(useful: &mut Vec<T>, new: T) {
    if !useful.contains(&new) && useful.len() < USEFUL_MAX {
        useful.push(new);
    }
}

/// Puts a constant into an input of `size` bytes, or over a part of it. A number takes two bytes,
/// or one if the other is 0: a character of a text takes one. Returns the new size, or `None` if
/// there is no room. `data` has room for `max` bytes.
pub(super) fn put(
    constant: Constant,
    random: &mut Random,
    input: (&mut [u8], usize, usize),
) -> Option<usize> {
    match constant {
        Constant::Number(number) => {
            let bytes = number.to_le_bytes();
            let length = if bytes[1] == 0 && random.below(2) == 0 { 1 } else { 2 };
            put_bytes(&bytes[..length], random, input)
        }
        Constant::Word(word) => put_bytes(word.as_bytes(), random, input),
    }
}

fn put_bytes(
    bytes: &[u8],
    random: &mut Random,
    (data, size, max): (&mut [u8], usize, usize),
) -> Option<usize> {
    let length = bytes.len();
    let is_inserted = random.below(2) == 0;
    let last = if is_inserted { size } else { size.checked_sub(length)? };
    let new_size = if is_inserted { size + length } else { size };
    if new_size > max {
        return None;
    }
    let at = random.below(last as u32 + 1) as usize;
    if is_inserted {
        data.copy_within(at..size, at + length);
    }
    data[at..at + length].copy_from_slice(bytes);
    Some(new_size)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What becomes of an input with room for `max` bytes.
    fn results(constant: u16, input: &[u8], max: usize) -> BTreeSet<Option<Vec<u8>>> {
        let result = |seed| {
            let mut data = [0; 8];
            data[..input.len()].copy_from_slice(input);
            put(Constant::Number(constant), &mut Random::new(seed), (&mut data, input.len(), max))
                .map(|size| data[..size].to_vec())
        };
        (0..1000).map(result).collect()
    }

    fn all<const N: usize>(expected: [&[u8]; N]) -> BTreeSet<Option<Vec<u8>>> {
        expected.iter().map(|bytes| Some(bytes.to_vec())).collect()
    }

    #[test]
    fn a_constant_is_put_in_or_over_at_any_place() {
        let expected: [&[u8]; 5] =
            [&[7, 3, 1, 2], &[1, 7, 3, 2], &[1, 2, 7, 3], &[7, 3], &[7, 3, 1, 2]];
        assert_eq!(results(0x0307, &[1, 2], 8), all(expected));
    }

    #[test]
    fn a_small_constant_takes_one_or_two_bytes() {
        let expected: [&[u8]; 5] = [&[7, 1], &[1, 7], &[7, 0, 1], &[1, 7, 0], &[7]];
        let mut found = results(7, &[1], 8);
        assert!(found.remove(&None), "two bytes do not fit over one");
        assert_eq!(found, all(expected));
    }

    #[test]
    fn a_constant_without_room_is_left_out() {
        assert_eq!(results(0x0307, &[1], 2), BTreeSet::from([None]));
        assert_eq!(results(0x0307, &[1, 2], 3), BTreeSet::from([None, Some(vec![7, 3])]));
    }

    #[test]
    fn one_mutation_of_thirteen_gets_a_constant_and_another_one_a_useful_one() {
        let link = Link::new().unwrap();
        let mut useful = Useful::default();
        let counts = |useful: &Useful| {
            [300, 999, 4242].map(|constant| {
                (0..13_000)
                    .filter_map(|seed| Random::new(seed).constant(MUTATIONS, link, useful))
                    .filter(|other| *other == Constant::Number(constant))
                    .count()
            })
        };
        assert_eq!(counts(&useful), [0; 3]);
        link.give_constants(&[300, 999, 4242]);
        let few = 250..420;
        assert!(counts(&useful).iter().all(|count| few.contains(count)), "{:?}", counts(&useful));
        useful.add(Constant::Number(999));
        useful.add(Constant::Number(999));
        let [one, more, other] = counts(&useful);
        assert!(few.contains(&one) && few.contains(&other) && (1200..1480).contains(&more));
    }

    #[test]
    fn half_of_any_constants_are_useful_ones() {
        let link = Link::new().unwrap();
        let mut useful = Useful::default();
        let any = |useful: &Useful| {
            (0..1000).map(|seed| Random::new(seed).any_number(link, useful)).collect::<Vec<_>>()
        };
        assert_eq!(any(&useful), [None; 1000]);
        link.give_constants(&[300, 999]);
        let of = |useful: &Useful| any(useful).iter().filter(|one| **one == Some(999)).count();
        assert!((400..600).contains(&of(&useful)), "{}", of(&useful));
        useful.add(Constant::Number(999));
        assert!((650..850).contains(&of(&useful)), "{}", of(&useful));
    }
}

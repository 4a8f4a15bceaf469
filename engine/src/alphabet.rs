//! The characters that a text may hold.

use std::sync::{Arc, OnceLock};

use crate::misuse::misuse;
use crate::sorted::{sort_by, sort_by_key};

/// A set of characters that is never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet(Option<Arc<Table>>);

#[derive(Debug)]
struct Table {
    /// Inclusive ranges, ascending and disjoint.
    ranges: Vec<(char, char)>,
    count: u32,
    simplest: char,
    /// All characters, the simplest first, computed on first use.
    by_rank: OnceLock<Vec<char>>,
}

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.ranges == other.ranges
    }
}

impl Eq for Table {}

/// Alphabets up to this size rank their own characters. Larger ones rank all characters.
pub(crate) const RANKED_MAX: u32 = 256;

const SURROGATES: u32 = 0xE000 - 0xD800;

impl Alphabet {
    /// Every character.
    pub const ANY: Alphabet = Alphabet(None);

    /// Creates the alphabet with the characters of all `ranges`, ends included.
    ///
    /// # Panics
    /// If the ranges hold no character.
    #[track_caller]
    pub fn new(ranges: impl IntoIterator<Item = (char, char)>) -> Alphabet {
        let mut given: Vec<(char, char)> =
            ranges.into_iter().filter(|(first, last)| first <= last).collect();
        sort_by(&mut given, Ord::cmp);
        let mut ranges: Vec<(char, char)> = Vec::with_capacity(given.len());
        for (first, last) in given {
            match ranges.last_mut() {
                Some(before) if first <= before.1 => before.1 = before.1.max(last),
                _ => ranges.push((first, last)),
            }
        }
        let count = ranges.iter().map(|range| size(*range)).sum();
        let simplest = ranges.iter().map(|range| simplest_of(*range)).min_by_key(|c| char_rank(*c));
        let Some(simplest) = simplest else {
            misuse(format_args!("an alphabet needs at least one character"))
        };
        Alphabet(Some(Arc::new(Table { ranges, count, simplest, by_rank: OnceLock::new() })))
    }

    /// Whether the alphabet holds every character.
    pub fn is_any(&self) -> bool {
        self.0.is_none()
    }

    /// The characters as inclusive ranges, ascending and disjoint. `None` if the alphabet holds
    /// every character.
    pub fn ranges(&self) -> Option<&[(char, char)]> {
        self.0.as_ref().map(|table| &table.ranges[..])
    }

    /// Whether the alphabet holds `c`.
    pub fn contains(&self, c: char) -> bool {
        self.0.as_ref().is_none_or(|table| {
            let at = table.ranges.partition_point(|range| range.1 < c);
            table.ranges.get(at).is_some_and(|range| range.0 <= c)
        })
    }

    /// The character that sorts first.
    pub fn simplest(&self) -> char {
        self.0.as_ref().map_or('0', |table| table.simplest)
    }

    /// How many characters the alphabet holds.
    pub fn count(&self) -> u32 {
        self.0.as_ref().map_or(u32::from(char::MAX) + 1 - SURROGATES, |table| table.count)
    }

    /// The character at `index` in the order of code points.
    ///
    /// # Panics
    /// If `index` is not below [`count`](Alphabet::count).
    pub fn nth(&self, index: u32) -> char {
        let all = [('\0', char::MAX)];
        let ranges = self.0.as_ref().map_or(&all[..], |table| &table.ranges);
        let mut left = index;
        for range in ranges {
            if left < size(*range) {
                let code = u32::from(range.0) + left;
                let skipped =
                    if u32::from(range.0) < 0xD800 && code >= 0xD800 { SURROGATES } else { 0 };
                return char::from_u32(code + skipped).expect("surrogates are skipped");
            }
            left -= size(*range);
        }
        panic!("an alphabet of {} characters has none at {index}", self.count())
    }

    /// How many characters are simpler than `c`: those of a small alphabet, otherwise all
    /// characters.
    pub(crate) fn rank(&self, c: char) -> u32 {
        match self.by_rank() {
            Some(by_rank) => {
                by_rank.partition_point(|other| char_rank(*other) < char_rank(c)) as u32
            }
            None => char_rank(c),
        }
    }

    /// The character of a rank. For a large alphabet, it may lie outside the alphabet.
    pub(crate) fn of_rank(&self, rank: u32) -> Option<char> {
        match self.by_rank() {
            Some(by_rank) => by_rank.get(rank as usize).copied(),
            None if rank == 0 => Some(self.simplest()),
            None => char_of_rank(rank),
        }
    }

    /// The greatest rank that a character may have.
    pub(crate) fn rank_max(&self) -> u32 {
        self.by_rank().map_or(u32::from(char::MAX), |by_rank| by_rank.len() as u32 - 1)
    }

    fn by_rank(&self) -> Option<&[char]> {
        let table = self.0.as_ref().filter(|table| table.count <= RANKED_MAX)?;
        Some(table.by_rank.get_or_init(|| {
            let mut characters: Vec<char> = (0..table.count).map(|index| self.nth(index)).collect();
            sort_by_key(&mut characters, |c| char_rank(*c));
            characters
        }))
    }

    /// Returns `c` if it is in the alphabet. Otherwise returns the character at the code point of
    /// `c` modulo the count.
    pub fn nearest(&self, c: char) -> char {
        if self.contains(c) { c } else { self.nth(u32::from(c) % self.count()) }
    }
}

fn size((first, last): (char, char)) -> u32 {
    let codes = u32::from(last) - u32::from(first) + 1;
    if u32::from(first) < 0xD800 && u32::from(last) >= 0xE000 { codes - SURROGATES } else { codes }
}

fn simplest_of((first, last): (char, char)) -> char {
    chars_by_rank().find(|c| first <= *c && *c <= last).unwrap_or(first)
}

/// The rank of a character in the simplicity order.
pub fn char_rank(c: char) -> u32 {
    match c {
        '0'..='9' => u32::from(c) - u32::from('0'),
        'A'..='Z' => u32::from(c) - u32::from('A') + 10,
        'a'..='z' => u32::from(c) - u32::from('a') + 36,
        ' '..='/' => u32::from(c) - u32::from(' ') + 62,
        ':'..='@' => u32::from(c) - u32::from(':') + 78,
        '['..='`' => u32::from(c) - u32::from('[') + 85,
        '{'..='~' => u32::from(c) - u32::from('{') + 91,
        '\0'..='\x1f' => u32::from(c) + 95,
        _ => u32::from(c),
    }
}

/// The ASCII characters by rank.
pub(crate) fn chars_by_rank() -> impl Iterator<Item = char> {
    const BY_RANK: [(char, char); 9] = [
        ('0', '9'),
        ('A', 'Z'),
        ('a', 'z'),
        (' ', '/'),
        (':', '@'),
        ('[', '`'),
        ('{', '~'),
        ('\0', '\x1f'),
        ('\x7f', '\x7f'),
    ];
    BY_RANK.into_iter().flat_map(|(first, last)| first..=last)
}

/// The character of this rank. `None` if the rank is a surrogate or too large.
pub(crate) fn char_of_rank(rank: u32) -> Option<char> {
    if rank < 128 { chars_by_rank().nth(rank as usize) } else { char::from_u32(rank) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ascii_character_has_its_own_rank() {
        for (rank, c) in chars_by_rank().enumerate() {
            assert_eq!(char_rank(c) as usize, rank, "{c:?}");
            assert_eq!(char_of_rank(rank as u32), Some(c));
        }
        assert_eq!(chars_by_rank().count(), 128);
    }

    #[test]
    fn overlapping_ranges_count_once() {
        let alphabet = Alphabet::new([('a', 'f'), ('c', 'z'), ('0', '3')]);
        assert_eq!(alphabet.count(), 26 + 4);
        assert_eq!((alphabet.nth(0), alphabet.nth(4), alphabet.nth(29)), ('0', 'a', 'z'));
        assert_eq!(alphabet.simplest(), '0');
    }

    #[test]
    fn characters_outside_fall_on_some_inside() {
        let alphabet = Alphabet::new([('x', 'z')]);
        for c in ['a', 'x', '0', '\u{10FFFF}'] {
            assert!(alphabet.contains(alphabet.nearest(c)));
        }
        assert_eq!(alphabet.nearest('y'), 'y');
    }

    #[test]
    fn small_alphabets_rank_their_own_characters() {
        let alphabet = Alphabet::new([('a', 'c'), ('x', 'z'), ('0', '0')]);
        let ranks: Vec<u32> = "0acxz".chars().map(|c| alphabet.rank(c)).collect();
        assert_eq!(ranks, [0, 1, 3, 4, 6]);
        assert_eq!(
            (0..8).map(|rank| alphabet.of_rank(rank)).collect::<Vec<_>>(),
            ["0abcxyz".chars().map(Some).collect(), vec![None]].concat()
        );
        assert_eq!((Alphabet::ANY.rank('A'), Alphabet::ANY.of_rank(10)), (10, Some('A')));
    }

    #[test]
    fn surrogates_are_no_characters() {
        assert_eq!(Alphabet::ANY.nth(0xD800), '\u{E000}');
        assert_eq!(Alphabet::ANY.nth(Alphabet::ANY.count() - 1), char::MAX);
    }

    #[test]
    #[should_panic(expected = "at least one character")]
    fn an_empty_alphabet_is_refused() {
        Alphabet::new([]);
    }
}

//! Tables of texts that code refers to.

use std::collections::BTreeSet;
use std::ops::Range;

use dwindle_engine::internals::mutation::Word;
use object::{Object, ObjectSection};

use super::LENGTH_MIN;
use crate::failure::symbols;

/// Bytes of a number or an address.
const SIZE: usize = size_of::<usize>();
/// A table ends where this many numbers are no part of a text. Its elements may hold others.
const OTHERS_MAX: usize = 8;

/// The tables of this executable.
pub(super) struct Tables {
    tables: Range<usize>,
    texts: Range<usize>,
    /// Places that were read before.
    known: BTreeSet<usize>,
}

impl Tables {
    /// `None` if the executable is not as expected. `moved_by` is as in [`super::Words`].
    pub(super) fn of(executable: &[u8], moved_by: usize) -> Option<Tables> {
        let file = object::File::parse(executable).ok()?;
        let place = |name: &str| {
            let section = file.section_by_name(name)?;
            let start = (section.address() as usize).wrapping_add(moved_by);
            let place = start..start.checked_add(section.size() as usize)?;
            symbols::holds(place.clone()).then_some(place)
        };
        let (tables, texts) = (place(".data.rel.ro")?, place(".rodata")?);
        Some(Tables { tables, texts, known: BTreeSet::new() })
    }

    /// Adds the words of the tables to which this code refers.
    pub(super) fn referred_by(&mut self, code: &[u8], words: &mut BTreeSet<Word>) {
        for address in addresses(code) {
            self.read(address, words);
            // A slice of texts, which is elsewhere.
            if let Some(elsewhere) = self.number(address) {
                self.read(elsewhere, words);
            }
        }
    }

    /// Adds the words of the table at this address.
    fn read(&mut self, mut at: usize, words: &mut BTreeSet<Word>) {
        let mut others = 0;
        while others < OTHERS_MAX
            && let (Some(address), Some(length)) = (self.number(at), self.number(at + SIZE))
            && self.known.insert(at)
        {
            if self.texts.contains(&address) && length < self.texts.len() {
                (others, at) = (0, at + 2 * SIZE);
                if (LENGTH_MIN..=Word::LENGTH_MAX).contains(&length) {
                    words.extend(self.text(address, length).and_then(Word::new));
                }
            } else {
                (others, at) = (others + 1, at + SIZE);
            }
        }
    }

    /// The number at an address in the tables.
    fn number(&self, at: usize) -> Option<usize> {
        let is_inside = at.is_multiple_of(SIZE)
            && self.tables.start <= at
            && at.checked_add(SIZE)? <= self.tables.end;
        // SAFETY: the section is mapped, and nothing writes to it after the start of the process.
        is_inside.then(|| unsafe { std::ptr::with_exposed_provenance::<usize>(at).read() })
    }

    fn text(&self, address: usize, length: usize) -> Option<&'static [u8]> {
        let is_inside =
            self.texts.start <= address && address.checked_add(length)? <= self.texts.end;
        // SAFETY: the section is mapped, and nothing writes to it.
        is_inside.then(|| unsafe {
            std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address), length)
        })
    }
}

/// The addresses in the instructions of a function. Not all of them are some.
fn addresses(code: &[u8]) -> impl Iterator<Item = usize> {
    // lea, and mov from memory
    memchr::memchr2_iter(0x8d, 0x8b, code).filter_map(|at| {
        let is_relative = code.get(at + 1)? & 0xc7 == 5;
        let distance = i32::from_le_bytes(code.get(at + 2..at + 6)?.try_into().ok()?);
        let end = code.as_ptr() as usize + at + 6;
        is_relative.then(|| end.wrapping_add_signed(distance as isize))
    })
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    /// Tables whose texts are nowhere else in this executable.
    static PLAIN: [&str; 3] = ["zq-first-word", "zq-second", "zq-a-text-that-is-too-long"];
    static NUMBERED: [(&str, u64); 2] = [("zq-with", 1), ("zq-numbers", 2)];
    static ELSEWHERE: &[&str] = &["zq-elsewhere"];

    #[inline(never)]
    fn refers(index: usize) -> usize {
        let elsewhere: &&[&str] = black_box(&ELSEWHERE);
        PLAIN[index % 3].len() + NUMBERED[index % 2].0.len() + elsewhere.len()
    }

    #[test]
    fn the_words_of_tables_are_found_where_code_refers_to_them() {
        assert!(refers(black_box(1)) > 1);
        let file = symbols::file().unwrap();
        let mut tables = Tables::of(&file, symbols::moved_by().unwrap()).unwrap();
        let mut words = BTreeSet::new();
        let start = refers as *const () as usize;
        let parts = symbols::code();
        let code = parts.iter().find_map(|part| {
            let at = start.checked_sub(part.as_ptr() as usize)?;
            part.get(at..at + 400)
        });
        tables.referred_by(code.unwrap(), &mut words);
        for text in ["zq-first-word", "zq-second", "zq-with", "zq-numbers", "zq-elsewhere"] {
            assert!(words.contains(&Word::new(text.as_bytes()).unwrap()), "{text}: {words:?}");
        }
        assert!(!words.contains(&Word::new(b"zq-a-text-that-").unwrap()));
        assert!(words.len() < 1_000, "{}", words.len());
    }
}

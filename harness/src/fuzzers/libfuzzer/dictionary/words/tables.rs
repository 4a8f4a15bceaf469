//! Tables of texts that code refers to.

use std::collections::BTreeSet;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use dwindle_engine::internals::mutation::Word;
use object::{Object, ObjectSection};

use super::LENGTH_MIN;

/// Bytes of a number or an address.
const SIZE: usize = size_of::<usize>();
/// A table ends where this many numbers are no part of a text. Its elements may hold others.
const OTHERS_MAX: usize = 8;

/// A part of this executable.
struct Section {
    /// Where it was loaded.
    start: usize,
    bytes: Vec<u8>,
}

impl Section {
    /// The bytes at these addresses. `None` if not all lie in this section.
    fn get(&self, addresses: Range<usize>) -> Option<&[u8]> {
        let at = addresses.start.checked_sub(self.start)?;
        self.bytes.get(at..addresses.end.checked_sub(self.start)?)
    }
}

/// The tables of this executable.
///
/// They are copies. In builds with a sanitizer, code must not read what lies between two tables.
pub(super) struct Tables {
    tables: Section,
    texts: Section,
    /// Places that were read before.
    known: BTreeSet<usize>,
}

impl Tables {
    /// `None` if the executable is not as expected. `moved_by` is as in [`super::Words`].
    pub(super) fn of(executable: &[u8], moved_by: usize) -> Option<Tables> {
        let file = object::File::parse(executable).ok()?;
        // The file has no addresses in the tables. The start of the process puts them there.
        let memory = File::open("/proc/self/mem").ok()?;
        let section = |name: &str| {
            let section = file.section_by_name(name)?;
            let start = (section.address() as usize).wrapping_add(moved_by);
            let mut bytes = vec![0; section.size() as usize];
            memory.read_exact_at(&mut bytes, start as u64).ok()?;
            Some(Section { start, bytes })
        };
        let (tables, texts) = (section(".data.rel.ro")?, section(".rodata")?);
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
            if let Some(text) = self.text(address, length) {
                (others, at) = (0, at + 2 * SIZE);
                if text.len() >= LENGTH_MIN {
                    words.extend(Word::new(text));
                }
            } else {
                (others, at) = (others + 1, at + SIZE);
            }
        }
    }

    /// The number at an address in the tables.
    fn number(&self, at: usize) -> Option<usize> {
        let bytes = self.tables.get(at..at.checked_add(SIZE)?)?;
        Some(usize::from_ne_bytes(bytes.try_into().ok()?)).filter(|_| at.is_multiple_of(SIZE))
    }

    fn text(&self, address: usize, length: usize) -> Option<&[u8]> {
        self.texts.get(address..address.checked_add(length)?)
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
    use crate::failure::symbols;

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

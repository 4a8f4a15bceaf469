//! The short texts that a target compares with.
//!
//! libFuzzer sees a comparison of texts if it is a call of `memcmp`. The compiler makes a few moves
//! and comparisons of one with a short text that it knows, after it has marked comparisons for the
//! fuzzer. So a fuzzer has to find the keywords of most parsers by chance. This module reads them
//! from the user's code:
//!
//! - The code compares four or eight bytes at a time with the text, which stands in the
//!   instructions. Longer texts have several parts, the last of which may overlap the one before.
//! - A table of texts has their addresses and lengths. The code refers to the table.
//!
//! What looks like a text but is none costs little.
//!
//! Relies on x86-64, and on rustc: tables are in `.data.rel.ro`, and texts in `.rodata`. A text in
//! a table is an address and a length.

mod tables;

use std::collections::BTreeSet;

use dwindle_engine::internals::mutation::Word;

use self::tables::Tables;

/// The length of the shortest word. libFuzzer finds single bytes soon.
const LENGTH_MIN: usize = 2;

/// The words of an executable.
pub(super) struct Words {
    /// `None` if the executable has none.
    tables: Option<Tables>,
    words: BTreeSet<Word>,
}

impl Words {
    /// None yet. `moved_by` is the address where the executable was loaded, minus the address in
    /// the file.
    pub(super) fn new(executable: &[u8], moved_by: usize) -> Words {
        Words { tables: Tables::of(executable, moved_by), words: BTreeSet::new() }
    }

    /// Adds those of a function of the executable.
    pub(super) fn add(&mut self, code: &'static [u8]) {
        self.words.extend(in_instructions(code));
        if let Some(tables) = &mut self.tables {
            tables.referred_by(code, &mut self.words);
        }
    }

    /// At most `max` of them.
    pub(super) fn take(self, max: usize) -> Vec<Word> {
        self.words.into_iter().take(max).collect()
    }
}

/// The words in the instructions of a function.
fn in_instructions(code: &[u8]) -> Vec<Word> {
    let begins = |at: &usize| Part::BEGINS[usize::from(code[*at])];
    let parts: Vec<Part> =
        (0..code.len()).filter(begins).filter_map(|at| Part::read(code, at)).collect();
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = parts.get(at) {
        let next = parts.get(at + 1).filter(|next| first.begins_word_with(next));
        let text = match next {
            Some(next) => joined(&first.text, &next.text),
            None => first.text.clone(),
        };
        at += if next.is_some() { 2 } else { 1 };
        if text.len() >= LENGTH_MIN {
            words.extend(Word::new(&text));
        }
    }
    words
}

/// A part of a text in an instruction.
#[derive(Debug)]
struct Part {
    text: Vec<u8>,
    /// Where the instruction ends.
    end: usize,
    start: usize,
    /// How many bytes are compared at once.
    width: usize,
    /// Whether the instruction compares, and so decides alone.
    decides: bool,
}

impl Part {
    /// Bytes between two parts of one text: moves, and `xor` with memory.
    const GAP_MAX: usize = 20;
    /// The first bytes of the instructions that [`read`](Part::read) knows. Most bytes are none.
    const BEGINS: [bool; 256] = {
        let mut begins = [false; 256];
        let (mut at, all) = (0, *b"\x35\x3d\x80\x81\x83\xb8\xb9\xba\xbb\xbc\xbd\xbe\xbf");
        while at < all.len() {
            begins[all[at] as usize] = true;
            at += 1;
        }
        begins
    };

    /// The instruction at this place, if it has a printable constant. It need not be one: places
    /// inside of instructions are tried, too.
    fn read(code: &[u8], start: usize) -> Option<Part> {
        const WIDE: u8 = 0x48;
        const SHORT: u8 = 0x66;
        // The byte before may also be the last one of another instruction.
        let is_wide = start > 0
            && code[start - 1] & 0xf8 == WIDE
            && code.get(start + 1..start + 9).is_some_and(is_printable);
        let is_short = start > 0 && code[start - 1] == SHORT;
        let width = if is_short { 2 } else { 4 };
        // The place of the constant, its bytes, and whether the instruction compares.
        let (at, width, decides) = match code[start] {
            // mov of eight bytes
            0xb8..=0xbf if is_wide => (start + 1, 8, false),
            // mov; xor with eax; cmp with eax
            0xb8..=0xbf | 0x35 => (start + 1, width, false),
            0x3d => (start + 1, width, true),
            // One byte, or all of them. In the next byte, 6 is xor and 7 is cmp.
            opcode @ (0x80 | 0x81 | 0x83) => {
                let operand = *code.get(start + 1)?;
                let kind = (operand >> 3) & 7;
                if !matches!(kind, 6 | 7) {
                    return None;
                }
                let at = start + 2 + address_length(operand, *code.get(start + 2)?);
                (at, if opcode == 0x81 { width } else { 1 }, kind == 7)
            }
            _ => return None,
        };
        let bytes = code.get(at..at + width)?;
        // Bytes that the program widens to a number have zeros behind them.
        let length = bytes.iter().rposition(|byte| *byte != 0)? + 1;
        // Elsewhere, too many constants look like one.
        let is_signature = code[start] == 0x81 && is_signature(bytes);
        let text = if is_signature { bytes } else { &bytes[..length] };
        // Three bytes are compared as two and one. A constant of three is mostly a distance.
        let is_text = length.is_power_of_two() && is_printable(text);
        (is_text || is_signature).then(|| Part {
            text: text.to_vec(),
            end: at + width,
            start,
            width,
            decides,
        })
    }

    /// Whether the next part belongs to the same text.
    fn begins_word_with(&self, next: &Part) -> bool {
        // Of two parts, the first one is full.
        !self.decides
            && !next.decides
            && self.text.len() == self.width
            && self.width > 1
            && next.text.len() <= self.width
            && (self.end..=self.end + Part::GAP_MAX).contains(&next.start)
    }
}

fn is_printable(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether bytes may be those with which files of a format begin: some are letters or digits.
fn is_signature(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && bytes.windows(3).any(|bytes| bytes.iter().all(u8::is_ascii_alphanumeric))
}

/// How many bytes say where an operand is, behind the byte that says how.
fn address_length(operand: u8, behind: u8) -> usize {
    let (mode, register) = (operand >> 6, operand & 7);
    let scaled = usize::from(mode < 3 && register == 4);
    let distance = match mode {
        0 if register == 5 || (scaled > 0 && behind & 7 == 5) => 4,
        1 => 1,
        2 => 4,
        _ => 0,
    };
    scaled + distance
}

/// Two parts of a text. Parts of one width overlap, so that they end where the text does.
fn joined(first: &[u8], second: &[u8]) -> Vec<u8> {
    let overlap = if first.len() == second.len() {
        (1..first.len()).rev().find(|length| first.ends_with(&second[..*length])).unwrap_or(0)
    } else {
        0
    };
    [first, &second[overlap..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_in_instructions_are_found() {
        let words = |code: &[u8]| {
            let words = in_instructions(code);
            words.iter().map(|word| String::from_utf8_lossy(word.as_bytes()).into_owned()).collect()
        };
        let found: [Vec<String>; 6] = [
            // mov ecx, "endf"; xor ecx, [rax]; movzx eax, word [rax + 4]; xor eax, "or"
            words(b"\xb9endf\x33\x08\x0f\xb7\x40\x04\x35or\0\0"),
            // cmp dword [r14], "else"
            words(b"\x41\x81\x3eelse"),
            // cmp word [rdi + 8], "if"
            words(b"\x66\x81\x7f\x08if\x75\x01"),
            // jne; mov eax, "excl"; xor eax, [rdi]; mov ecx, "lude"; xor ecx, [rdi + 3]
            words(b"\x75\x4e\xb8excl\x33\x07\xb9lude\x33\x4f\x03\x09\xc1"),
            // movabs rax, "endautoe"; xor rax, [rdi]; movabs rcx, "toescape"; xor rcx, [rdi + 5]
            words(b"\x48\xb8endautoe\x48\x33\x07\x48\xb9toescape\x48\x33\x4f\x05"),
            // mov r14d, "floo"; xor r14d, [r12]; movzx r15d, byte [r12 + 4]; xor r15d, "r"
            words(b"\x41\xbefloo\x45\x33\x34\x24\x45\x0f\xb6\x7c\x24\x04\x41\x83\xf7r"),
        ];
        let expected = ["endfor", "else", "if", "exclude", "endautoescape", "floor"];
        assert_eq!(found, expected.map(|word| vec![word.to_owned()]));
        // cmp dword [rdi], "\0asm"
        assert_eq!(words(b"\x81\x3f\0asm"), ["\0asm"]);
        // Two comparisons are two words.
        assert_eq!(words(b"\x81\x3felse\x74\x20\x81\x3fwith\x74\x20"), ["else", "with"]);
        // mov edi, 999
        assert!(words(b"\xbf\xe7\x03\0\0").is_empty());
    }
}

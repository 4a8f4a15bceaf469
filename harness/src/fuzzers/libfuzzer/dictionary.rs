//! A dictionary of what the target compares with: constants of two bytes, and short texts.
//!
//! libFuzzer traces comparisons of four and of eight bytes, and tries the other operand of each in
//! the input. It does not do this for two bytes, so it finds one value in 65,536 by chance. It also
//! seldom finds constants that the compiler has widened to four bytes. The compiler marks all these
//! comparisons with calls that pass the constant. This module reads the calls from the code of this
//! executable. AFL++'s compiler collects constants in the same way. Texts are found by
//! `dictionary/words.rs`. Where dwindle has a mutator, `constants.rs` uses both without a file.
//!
//! Relies on LLVM:
//!
//! - The constant is the first argument of `__sanitizer_cov_trace_const_cmp2` and `_cmp4`, moved
//!   into `edi` just before the call.
//! - The second argument of `__sanitizer_cov_trace_switch` is a table of count, bits and cases.
//!
//! Relies on libFuzzer: it reads words written as `"\xe7\x03"`. Code that is compiled otherwise
//! yields no words, and then there is no dictionary. The test is
//! `the_constants_of_the_target_are_in_the_dictionary` in `xtask/tests/end_to_end/libfuzzer.rs`.
//! The switch is `dictionary`.

#[cfg(target_arch = "x86_64")]
mod origin;
#[cfg(target_arch = "x86_64")]
mod words;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use dwindle_engine::internals::mutation::Word;

#[cfg(target_arch = "x86_64")]
use self::origin::Origins;
#[cfg(target_arch = "x86_64")]
use self::words::Words;
use super::arguments::Given;
use super::link::{CONSTANTS_MAX, WORDS_MAX};
use crate::failure::symbols;
use crate::switches::Switch;
use crate::target::Target;

/// libFuzzer finds constants up to this one soon without a dictionary.
const SMALL: u16 = 16;

/// What a target compares with.
#[derive(Default)]
pub(super) struct Dictionary {
    /// Constants of two bytes, at most [`CONSTANTS_MAX`].
    pub(super) constants: Vec<u16>,
    /// At most [`WORDS_MAX`].
    pub(super) words: Vec<Word>,
}

impl Dictionary {
    /// Reads it from this executable. Empty if the switch is off.
    pub(super) fn of(target: &Target) -> Dictionary {
        let executable = if Switch::Dictionary.is_on() { symbols::file() } else { None };
        let (Some(executable), Some(moved_by)) = (executable, symbols::moved_by()) else {
            return Dictionary::default();
        };
        let read = of_code(&executable, moved_by, target.manifest_dir());
        let mut dictionary = read.unwrap_or_default();
        // The macro of the target gives dwindle its name.
        let name = target.name();
        dictionary.words.retain(|word| word.as_bytes() != name.as_bytes());
        dictionary
    }

    /// The format that libFuzzer reads: one word in each line, with its bytes in memory order.
    fn text(&self) -> String {
        let constants = self.constants.iter().map(|constant| constant.to_le_bytes().to_vec());
        let words = self.words.iter().map(|word| word.as_bytes().to_vec());
        constants.chain(words).fold(String::new(), |mut text, word| {
            text.push('"');
            for byte in word {
                let _ = write!(text, "\\x{byte:02x}");
            }
            text.push_str("\"\n");
            text
        })
    }
}

/// A file that exists until the end of the run.
pub(super) struct DictionaryFile(PathBuf);

impl DictionaryFile {
    /// The dictionary of a run, if the user gives none. A drop-in target keeps libFuzzer's defaults
    /// unless its user changes them.
    pub(super) fn of_run(target: &Target, given: &Given) -> Option<DictionaryFile> {
        if given.dictionary || target.is_drop_in() {
            return None;
        }
        let text = Dictionary::of(target).text();
        if text.is_empty() {
            return None;
        }
        // A fuzzer can run without the file.
        let file = std::env::temp_dir().join(format!("dwindle-dictionary-{}", std::process::id()));
        fs::write(&file, text).is_ok().then_some(DictionaryFile(file))
    }

    /// The argument that names the file to libFuzzer.
    pub(super) fn argument(&self) -> String {
        format!("-dict={}", self.0.display())
    }
}

impl Drop for DictionaryFile {
    fn drop(&mut self) {
        // Each run makes this file again.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn of_code(_executable: &[u8], _moved_by: usize, _manifest_dir: &Path) -> Option<Dictionary> {
    None
}

/// What the user's code compares with. `moved_by` is the address where the executable was loaded,
/// minus the address in the file.
#[cfg(target_arch = "x86_64")]
fn of_code(executable: &[u8], moved_by: usize, manifest_dir: &Path) -> Option<Dictionary> {
    let origins = Origins::read(executable, manifest_dir)?;
    let (mut constants, mut words) = (BTreeSet::new(), Words::new(executable, moved_by));
    let (units, parts) = (origins.units(), symbols::code());
    for (function, unit) in origins.functions(&units) {
        let start = (function.start as usize).wrapping_add(moved_by);
        let within = |part: &&'static [u8]| {
            let start = start.checked_sub(part.as_ptr() as usize)?;
            let length = function.end.checked_sub(function.start)? as usize;
            part.get(start..start.checked_add(length)?)
        };
        let Some(code) = parts.iter().find_map(within) else { continue };
        words.add(code);
        for (at, found) in constants_in(code) {
            if found.iter().any(|constant| *constant > SMALL && !constants.contains(constant))
                && origins.is_of_the_user(&units[unit], function.start, function.start + at as u64)
            {
                constants.extend(found.into_iter().filter(|constant| *constant > SMALL));
            }
        }
    }
    let constants = constants.into_iter().take(CONSTANTS_MAX).collect();
    Some(Dictionary { constants, words: words.take(WORDS_MAX) })
}

/// The constants that this code compares with, and the place of each comparison.
#[cfg(target_arch = "x86_64")]
fn constants_in(code: &[u8]) -> impl Iterator<Item = (usize, Vec<u16>)> {
    unsafe extern "C" {
        safe fn __sanitizer_cov_trace_const_cmp2(constant: u16, other: u16);
        safe fn __sanitizer_cov_trace_const_cmp4(constant: u32, other: u32);
        safe fn __sanitizer_cov_trace_switch(value: u64, cases: *const u64);
    }
    let compares = [
        __sanitizer_cov_trace_const_cmp2 as *const () as usize,
        __sanitizer_cov_trace_const_cmp4 as *const () as usize,
    ];
    let switch = __sanitizer_cov_trace_switch as *const () as usize;
    calls(code).filter_map(move |(at, callee)| {
        if compares.contains(&callee) {
            Some((at, moved(&code[..at]).into_iter().collect()))
        } else {
            (callee == switch).then(|| (at, cases(&code[..at])))
        }
    })
}

/// The places of bytes that look like a call, and the address that each calls.
#[cfg(target_arch = "x86_64")]
fn calls(code: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    const CALL: u8 = 0xe8;
    memchr::memchr_iter(CALL, code).filter_map(move |at| {
        let distance = i32::from_le_bytes(code.get(at + 1..at + 5)?.try_into().ok()?);
        Some((at, (code.as_ptr() as usize + at + 5).wrapping_add_signed(distance as isize)))
    })
}

/// The constant that is the first argument of the call after this code, if it fits in two bytes.
#[cfg(target_arch = "x86_64")]
fn moved(before: &[u8]) -> Option<u16> {
    const MOV_EDI: u8 = 0xbf;
    // Only moves of the other argument stand between the constant and the call.
    let tail = &before[before.len().saturating_sub(16)..];
    tail.windows(5)
        .rev()
        .find(|window| window[0] == MOV_EDI && window[3..] == [0, 0])
        .map(|window| u16::from_le_bytes([window[1], window[2]]))
}

/// The cases that fit in two bytes, of the switch whose call follows this code.
#[cfg(target_arch = "x86_64")]
fn cases(before: &[u8]) -> Vec<u16> {
    const LEA_RSI: [u8; 3] = [0x48, 0x8d, 0x35];
    // Only moves stand between this instruction and the call, also where a gate guards the call.
    let tail = before.len().saturating_sub(16);
    let Some(at) = before[tail..].windows(7).rposition(|window| window.starts_with(&LEA_RSI))
    else {
        return Vec::new();
    };
    let end = tail + at + 7;
    let distance =
        i32::from_le_bytes([before[end - 4], before[end - 3], before[end - 2], before[end - 1]]);
    table(((before.as_ptr() as usize) + end).wrapping_add_signed(distance as isize))
}

/// The cases that fit in two bytes, of the table at this address. The table holds the count, the
/// bits and the cases.
#[cfg(target_arch = "x86_64")]
fn table(table: usize) -> Vec<u16> {
    const CASES_MAX: u64 = 4096;
    if !symbols::holds(table..table.saturating_add(16)) {
        return Vec::new();
    }
    let word = |index: u64| {
        // SAFETY: the place lies in this executable, whose referenced parts are all mapped.
        unsafe {
            std::ptr::with_exposed_provenance::<u64>(table + 8 * index as usize).read_unaligned()
        }
    };
    let (count, bits) = (word(0), word(1));
    if !matches!(bits, 16 | 32)
        || count > CASES_MAX
        || !symbols::holds(table..table + 16 + 8 * count as usize)
    {
        return Vec::new();
    }
    (0..count).filter_map(|index| u16::try_from(word(2 + index)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionary_entries_have_the_format_of_libfuzzer() {
        let words = Word::new(b"in").into_iter().collect();
        let text = Dictionary { constants: vec![999, 0x4100], words }.text();
        assert_eq!(text, "\"\\xe7\\x03\"\n\"\\x00\\x41\"\n\"\\x69\\x6e\"\n");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_constant_before_a_call_is_found() {
        // mov edi, 0x1092; mov esi, r15d; call 5 bytes further
        let code = [0x90, 0xbf, 0x92, 0x10, 0, 0, 0x44, 0x89, 0xfe, 0xe8, 5, 0, 0, 0, 0x90];
        let all: Vec<_> = calls(&code).collect();
        assert_eq!(all, [(9, code.as_ptr() as usize + 19)]);
        assert_eq!(moved(&code[..9]), Some(0x1092));
        assert_eq!(moved(&[0x90, 0xbf, 0x92, 0x10, 1, 0]), None);
        assert!(cases(&code[..9]).is_empty());
    }
}

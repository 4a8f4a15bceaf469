//! A source file of a target, from `libfuzzer_sys` to `dwindle::arbitrary`.

use proc_macro2::{TokenStream, TokenTree};
use std::ops::Range;

const FROM: &str = "libfuzzer_sys";
const TO: &str = "dwindle::arbitrary";

/// Macros of libfuzzer-sys that have no counterpart.
const WITHOUT_COUNTERPART: &[&str] = &["fuzz_mutator", "fuzz_crossover"];

/// Why a file cannot be converted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotRust,
    /// A macro without a counterpart, and its line.
    Macro(String, usize),
}

/// The converted source; nothing if there is nothing to convert.
///
/// Every `libfuzzer_sys` that is a word of the program becomes `dwindle::arbitrary`, wherever it stands in a path or a group; comments, texts and the layout stay
/// as they are. `#[macro_use] extern crate libfuzzer_sys;` becomes the use of `fuzz_target`.
pub(crate) fn convert(source: &str) -> Result<Option<String>, Refusal> {
    if !source.contains(FROM) {
        return Ok(None);
    }
    // The parser leaves it out, and does not count it.
    let mark = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let tokens: TokenStream = source[mark..].parse().map_err(|_| Refusal::NotRust)?;
    let mut edits = Edits { source: &source[mark..], edits: Vec::new() };
    edits.collect(tokens)?;
    if edits.edits.is_empty() {
        return Ok(None);
    }
    let mut converted = source.to_owned();
    for (range, text) in edits.edits.into_iter().rev() {
        converted.replace_range(range.start + mark..range.end + mark, &text);
    }
    Ok(Some(converted))
}

/// Places of the source and what is to stand there, in order.
struct Edits<'source> {
    source: &'source str,
    edits: Vec<(Range<usize>, String)>,
}

impl Edits<'_> {
    fn collect(&mut self, tokens: TokenStream) -> Result<(), Refusal> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (index, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.collect(group.stream())?,
                TokenTree::Ident(ident) if WITHOUT_COUNTERPART.iter().any(|name| ident == name) => {
                    return Err(Refusal::Macro(ident.to_string(), ident.span().start().line));
                }
                TokenTree::Ident(ident) if ident == FROM => {
                    let edit = extern_crate(&tokens, index).unwrap_or_else(|| (ident.span().byte_range(), TO.to_owned()));
                    self.push(edit);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn push(&mut self, (mut range, text): (Range<usize>, String)) {
        // A line that held nothing else goes with what it held.
        let line_begins = self.source[..range.start].rfind('\n').map_or(0, |end| end + 1);
        let rest = &self.source[range.end..];
        if text.is_empty() && self.source[line_begins..range.start].trim().is_empty() {
            for end in ["\r\n", "\n"] {
                if rest.starts_with(end) {
                    range = line_begins..range.end + end.len();
                    break;
                }
            }
        }
        self.edits.push((range, text));
    }
}

/// The item `extern crate libfuzzer_sys ..;` around the name at `index`, if it is one, with its `#[macro_use]`; and what stands for it.
fn extern_crate(tokens: &[TokenTree], index: usize) -> Option<(Range<usize>, String)> {
    let is_word = |at: Option<usize>, word: &str| matches!(at.and_then(|at| tokens.get(at)), Some(TokenTree::Ident(ident)) if ident == word);
    if !is_word(index.checked_sub(1), "crate") || !is_word(index.checked_sub(2), "extern") {
        return None;
    }
    let mut first = index - 2;
    let mut imports_macros = false;
    if let Some(before) = first.checked_sub(2)
        && matches!(&tokens[before], TokenTree::Punct(punct) if punct.as_char() == '#')
        && matches!(&tokens[before + 1], TokenTree::Group(group) if group.stream().into_iter().next().is_some_and(|token| token.to_string() == "macro_use"))
    {
        first = before;
        imports_macros = true;
    }
    let semicolon = (index..tokens.len()).find(|&at| matches!(&tokens[at], TokenTree::Punct(punct) if punct.as_char() == ';'))?;
    let range = tokens[first].span().byte_range().start..tokens[semicolon].span().byte_range().end;
    let text = if is_word(Some(index + 1), "as") {
        format!("use {TO} as {};", tokens.get(index + 2)?)
    } else if imports_macros {
        format!("use {TO}::fuzz_target;")
    } else {
        // Paths name the crate by themselves.
        String::new()
    };
    Some((range, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(source: &str) -> String {
        convert(source).unwrap().unwrap_or_else(|| panic!("nothing converted in {source}"))
    }

    #[test]
    fn every_path_leads_to_the_drop_in_and_the_rest_stays() {
        for (before, after) in [
            ("use libfuzzer_sys::fuzz_target;", "use dwindle::arbitrary::fuzz_target;"),
            ("use libfuzzer_sys::{fuzz_target, Corpus};", "use dwindle::arbitrary::{fuzz_target, Corpus};"),
            ("use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};", "use dwindle::arbitrary::arbitrary::{self, Arbitrary, Unstructured};"),
            ("use ::libfuzzer_sys :: fuzz_target;", "use ::dwindle::arbitrary :: fuzz_target;"),
            ("use {std::fmt, libfuzzer_sys::{fuzz_target as target}};", "use {std::fmt, dwindle::arbitrary::{fuzz_target as target}};"),
            ("use libfuzzer_sys as fuzz;", "use dwindle::arbitrary as fuzz;"),
            ("libfuzzer_sys::fuzz_target!(|data: &[u8]| { f(data) });", "dwindle::arbitrary::fuzz_target!(|data: &[u8]| { f(data) });"),
            (
                "fuzz_target!(|d: &[u8]| -> libfuzzer_sys::Corpus { libfuzzer_sys::Corpus::Keep });",
                "fuzz_target!(|d: &[u8]| -> dwindle::arbitrary::Corpus { dwindle::arbitrary::Corpus::Keep });",
            ),
            (
                "// libfuzzer_sys\r\nuse libfuzzer_sys::fuzz_target; /* libfuzzer_sys */\r\nconst S: &str = \"libfuzzer_sys\";",
                "// libfuzzer_sys\r\nuse dwindle::arbitrary::fuzz_target; /* libfuzzer_sys */\r\nconst S: &str = \"libfuzzer_sys\";",
            ),
            ("\u{feff}#![no_main]\nuse libfuzzer_sys::fuzz_target; // ümläut\n", "\u{feff}#![no_main]\nuse dwindle::arbitrary::fuzz_target; // ümläut\n"),
            ("// ümläut\nuse libfuzzer_sys::fuzz_target;", "// ümläut\nuse dwindle::arbitrary::fuzz_target;"),
        ] {
            assert_eq!(converted(before), after);
            assert_eq!(convert(after).unwrap().filter(|again| again != after), None);
        }
    }

    #[test]
    fn the_old_way_to_name_a_crate_is_converted_too() {
        for (before, after) in [
            (
                "#![no_main]\n#[macro_use] extern crate libfuzzer_sys;\nextern crate url;\n",
                "#![no_main]\nuse dwindle::arbitrary::fuzz_target;\nextern crate url;\n",
            ),
            ("#[macro_use]\nextern crate libfuzzer_sys;\n", "use dwindle::arbitrary::fuzz_target;\n"),
            ("extern crate libfuzzer_sys as fuzz;\n", "use dwindle::arbitrary as fuzz;\n"),
            ("extern crate a;\n  extern crate libfuzzer_sys;\nextern crate b;\n", "extern crate a;\nextern crate b;\n"),
            ("extern crate a; extern crate libfuzzer_sys;\n", "extern crate a; \n"),
        ] {
            assert_eq!(converted(before), after);
        }
    }

    #[test]
    fn what_does_not_name_the_crate_is_left_alone() {
        for source in ["", "fn main() {}", "// use libfuzzer_sys::fuzz_target;", "const S: &str = \"libfuzzer_sys\";", "use libfuzzer_system::x;"] {
            assert_eq!(convert(source), Ok(None), "{source}");
        }
    }

    #[test]
    fn what_cannot_be_converted_is_refused() {
        assert_eq!(convert("use libfuzzer_sys::{ fuzz_target;"), Err(Refusal::NotRust));
        let mutator = "use libfuzzer_sys::fuzz_target;\n\nlibfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { 0 });";
        assert_eq!(convert(mutator), Err(Refusal::Macro("fuzz_mutator".to_owned(), 3)));
    }
}

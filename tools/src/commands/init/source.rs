//! Converts a source file of a target from `libfuzzer_sys` to `dwindle::arbitrary`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use std::ops::Range;

const TO: &str = "dwindle::arbitrary";

/// The crate's own name in code. A crate may depend on it by another name.
const OWN_NAME: &str = "libfuzzer_sys";

/// The macros that `#[macro_use]` imported into a file.
const MACROS: &[&str] = &["fuzz_target", "fuzz_mutator", "fuzz_crossover"];

/// The function that early targets defined by themselves.
const ENTRY_POINT: &str = "rust_fuzzer_test_input";

/// Why a file cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotRust,
    /// This line defines the function that the macro defines.
    NoMacro(usize),
}

/// Converts a source of a crate that depends on libfuzzer-sys by the name `dependency`. `None` if
/// there is nothing to convert.
///
/// Every name `libfuzzer_sys` in the code becomes `dwindle::arbitrary`, at any place in a path or a
/// group. Comments, strings and the layout stay as they are. Another name may also be that of a
/// function or a variable, so it is converted only where a path or an import begins with it.
///
/// `#[macro_use] extern crate libfuzzer_sys;` becomes a `use` of the macros. In edition 2015
/// `extern crate dwindle;` is added, because paths in `use` begin at the root of the crate there.
pub(crate) fn convert(
    source: &str,
    dependency: &str,
    is_edition_2015: bool,
) -> Result<Option<String>, Refusal> {
    let from = &*dependency.replace('-', "_");
    if !source.contains(from) && !source.contains(dependency) {
        return Ok(None);
    }
    // The parser skips a byte order mark and does not count its bytes.
    let mark = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let tokens: TokenStream = source[mark..].parse().map_err(|_| Refusal::NotRust)?;
    let macros = MACROS.iter().filter(|name| calls(tokens.clone(), name)).copied().collect();
    let mut edits = Edits {
        source: &source[mark..],
        from,
        feature: dependency,
        macros,
        is_edition_2015,
        edits: Vec::new(),
    };
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

fn is_punct(tokens: &[TokenTree], at: Option<usize>, wanted: char) -> bool {
    let token = at.and_then(|at| tokens.get(at));
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

fn is_word(tokens: &[TokenTree], at: Option<usize>, wanted: &str) -> bool {
    let token = at.and_then(|at| tokens.get(at));
    matches!(token, Some(TokenTree::Ident(word)) if word == wanted)
}

/// Whether the macro is called by its bare name.
fn calls(tokens: TokenStream, name: &str) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens.iter().enumerate().any(|(index, token)| match token {
        TokenTree::Group(group) => calls(group.stream(), name),
        TokenTree::Ident(ident) => {
            ident == name
                && is_punct(&tokens, Some(index + 1), '!')
                && !is_punct(&tokens, index.checked_sub(1), ':')
        }
        _ => false,
    })
}

/// Ranges of the source and their new texts, in order.
struct Edits<'source> {
    source: &'source str,
    /// The crate's name in the code.
    from: &'source str,
    /// The feature of an optional dependency, as it is named in a `cfg`.
    feature: &'source str,
    /// The macros that are called by their bare names.
    macros: Vec<&'static str>,
    is_edition_2015: bool,
    edits: Vec<(Range<usize>, String)>,
}

impl Edits<'_> {
    fn collect(&mut self, tokens: TokenStream) -> Result<(), Refusal> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (index, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.collect(group.stream())?,
                TokenTree::Ident(ident) if ident == ENTRY_POINT => {
                    return Err(Refusal::NoMacro(ident.span().start().line));
                }
                TokenTree::Ident(ident) if self.is_crate(ident, &tokens, index) => {
                    let edit = self.extern_crate(&tokens, index).unwrap_or_else(|| {
                        let is_renamed = is_imported(&tokens, index);
                        (
                            ident.span().byte_range(),
                            if is_renamed {
                                format!("{TO} as {}", self.from)
                            } else {
                                TO.to_owned()
                            },
                        )
                    });
                    self.push(edit);
                }
                TokenTree::Literal(literal) => match literal.to_string().trim_matches('"') {
                    ENTRY_POINT => return Err(Refusal::NoMacro(literal.span().start().line)),
                    feature if feature == self.feature && is_feature(&tokens[..index]) => {
                        self.push((literal.span().byte_range(), "\"dwindle\"".to_owned()));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether this word names the crate.
    fn is_crate(&self, word: &Ident, tokens: &[TokenTree], index: usize) -> bool {
        if word != self.from || is_given_name(tokens, index) {
            return false;
        }
        let begins_path =
            is_punct(tokens, Some(index + 1), ':') && is_punct(tokens, Some(index + 2), ':');
        let before = index.checked_sub(1);
        let is_item = is_word(tokens, before, "use") || is_word(tokens, before, "crate");
        self.from == OWN_NAME || begins_path || is_item
    }

    /// The item `extern crate libfuzzer_sys ..;` around the name at `index`, with its attributes,
    /// and its new text. `None` if the name is not in such an item.
    fn extern_crate(&self, tokens: &[TokenTree], index: usize) -> Option<(Range<usize>, String)> {
        let is_word = |at: Option<usize>, wanted: &str| is_word(tokens, at, wanted);
        if !is_word(index.checked_sub(1), "crate") || !is_word(index.checked_sub(2), "extern") {
            return None;
        }
        let (first, attributes) = self.attributes(tokens, index - 2);
        let imports_macros = attributes.iter().any(|attribute| attribute.contains("macro_use"));
        let others = attributes.iter().filter(|attribute| !attribute.contains("macro_use"));
        let others = others.fold(String::new(), |others, attribute| {
            let feature = format!("\"{}\"", self.feature);
            others + &attribute.replace(&feature, "\"dwindle\"") + "\n"
        });
        let semicolon = (index..tokens.len())
            .find(|&at| matches!(&tokens[at], TokenTree::Punct(punct) if punct.as_char() == ';'))?;
        let range =
            tokens[first].span().byte_range().start..tokens[semicolon].span().byte_range().end;

        let mut items = Vec::new();
        let is_public = is_word(index.checked_sub(3), "pub");
        if self.is_edition_2015 && !is_public {
            items.push("extern crate dwindle;".to_owned());
        }
        if is_word(Some(index + 1), "as") {
            items.push(format!("use {TO} as {};", tokens.get(index + 2)?));
        } else if is_public {
            items.push(format!("use {TO} as {};", self.from));
        } else if imports_macros {
            items.push(match self.macros.as_slice() {
                [] => format!("use {TO}::fuzz_target;"),
                [one] => format!("use {TO}::{one};"),
                several => format!("use {TO}::{{{}}};", several.join(", ")),
            });
        }
        // The public item comes first, because its `pub` stands before the replaced range.
        if self.is_edition_2015 && is_public {
            items.push("extern crate dwindle;".to_owned());
        }
        // Without items, the paths in the code name the crate directly.
        let items: Vec<String> = items.into_iter().map(|item| others.clone() + &item).collect();
        Some((range, items.join("\n")))
    }

    /// The index where the attributes of the item at `index` begin, and the text of each attribute.
    fn attributes(&self, tokens: &[TokenTree], index: usize) -> (usize, Vec<&str>) {
        let mut first = index;
        let mut attributes = Vec::new();
        while let Some(before) = first.checked_sub(2)
            && matches!(&tokens[before], TokenTree::Punct(punct) if punct.as_char() == '#')
            && matches!(&tokens[before + 1], TokenTree::Group(_))
        {
            attributes.insert(
                0,
                &self.source[tokens[before].span().byte_range().start
                    ..tokens[before + 1].span().byte_range().end],
            );
            first = before;
        }
        (first, attributes)
    }

    fn push(&mut self, (mut range, text): (Range<usize>, String)) {
        // If the removed text was alone on its line, removes the whole line.
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
        // Drops the edits inside the item's attributes, because this edit replaces them too.
        self.edits.retain(|(before, _)| before.start < range.start);
        self.edits.push((range, text));
    }
}

/// Whether the name at `index` belongs to a module, as in `$crate::libfuzzer_sys`. A crate of
/// helpers may have such a module for its macros, so the name stays there.
///
/// A name given by a conversion stays too: `dwindle::arbitrary as libfuzzer_sys`.
fn is_given_name(tokens: &[TokenTree], index: usize) -> bool {
    if is_word(tokens, index.checked_sub(1), "as") {
        return true;
    }
    let Some([before, TokenTree::Punct(first), TokenTree::Punct(second)]) =
        index.checked_sub(3).map(|start| &tokens[start..index])
    else {
        return false;
    };
    let is_joined = matches!(before, TokenTree::Ident(_))
        && before.span().byte_range().end == first.span().byte_range().start;
    is_joined && first.as_char() == ':' && second.as_char() == ':'
}

/// Whether the crate itself is imported at `index`, and not one of its items. Then the rest of the
/// file refers to the crate by this name.
fn is_imported(tokens: &[TokenTree], index: usize) -> bool {
    let ends = match tokens.get(index + 1) {
        None => true,
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), ';' | ','),
        Some(_) => false,
    };
    let begins = match index.checked_sub(1).map(|before| &tokens[before]) {
        None => true,
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), ',' | ':'),
        Some(TokenTree::Ident(word)) => word == "use",
        Some(_) => false,
    };
    ends && begins
}

/// Whether these tokens end with `feature =`.
fn is_feature(before: &[TokenTree]) -> bool {
    let equals = before.len().checked_sub(1);
    is_punct(before, equals, '=')
        && is_word(before, equals.and_then(|equals| equals.checked_sub(1)), "feature")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(source: &str, is_edition_2015: bool) -> Result<Option<String>, Refusal> {
        super::convert(source, "libfuzzer-sys", is_edition_2015)
    }

    fn converted(source: &str) -> String {
        convert(source, false).unwrap().unwrap_or_else(|| panic!("nothing converted in {source}"))
    }

    #[test]
    fn every_path_of_libfuzzer_sys_is_converted_and_the_rest_stays() {
        for (before, after) in [
            ("use libfuzzer_sys::fuzz_target;", "use dwindle::arbitrary::fuzz_target;"),
            (
                "use libfuzzer_sys::{fuzz_target, Corpus};",
                "use dwindle::arbitrary::{fuzz_target, Corpus};",
            ),
            (
                "use libfuzzer_sys::arbitrary::{self, Arbitrary, Unstructured};",
                "use dwindle::arbitrary::arbitrary::{self, Arbitrary, Unstructured};",
            ),
            ("use ::libfuzzer_sys :: fuzz_target;", "use ::dwindle::arbitrary :: fuzz_target;"),
            (
                "use {std::fmt, libfuzzer_sys::{fuzz_target as target}};",
                "use {std::fmt, dwindle::arbitrary::{fuzz_target as target}};",
            ),
            ("use libfuzzer_sys as fuzz;", "use dwindle::arbitrary as fuzz;"),
            (
                "libfuzzer_sys::fuzz_target!(|data: &[u8]| { f(data) });",
                "dwindle::arbitrary::fuzz_target!(|data: &[u8]| { f(data) });",
            ),
            (
                "fuzz_target!(|d: &[u8]| -> libfuzzer_sys::Corpus { libfuzzer_sys::Corpus::Keep \
                 });",
                "fuzz_target!(|d: &[u8]| -> dwindle::arbitrary::Corpus { \
                 dwindle::arbitrary::Corpus::Keep });",
            ),
            (
                "// libfuzzer_sys\r\nuse libfuzzer_sys::fuzz_target; /* libfuzzer_sys */\r\nconst \
                 S: &str = \"libfuzzer_sys\";",
                "// libfuzzer_sys\r\nuse dwindle::arbitrary::fuzz_target; /* libfuzzer_sys */\r\n\
                 const S: &str = \"libfuzzer_sys\";",
            ),
            (
                "\u{feff}#![no_main]\nuse libfuzzer_sys::fuzz_target; // ümläut\n",
                "\u{feff}#![no_main]\nuse dwindle::arbitrary::fuzz_target; // ümläut\n",
            ),
            (
                "// ümläut\nuse libfuzzer_sys::fuzz_target;",
                "// ümläut\nuse dwindle::arbitrary::fuzz_target;",
            ),
        ] {
            assert_eq!(converted(before), after);
            assert_eq!(convert(after, false).unwrap().filter(|again| again != after), None);
        }
    }

    #[test]
    fn extern_crate_is_converted() {
        for (before, after) in [
            (
                "#![no_main]\n#[macro_use] extern crate libfuzzer_sys;\nextern crate url;\n",
                "#![no_main]\nuse dwindle::arbitrary::fuzz_target;\nextern crate url;\n",
            ),
            (
                "#[macro_use]\nextern crate libfuzzer_sys;\n",
                "use dwindle::arbitrary::fuzz_target;\n",
            ),
            (
                "#[cfg_attr(fuzzing, macro_use)]\nextern crate libfuzzer_sys;\n",
                "use dwindle::arbitrary::fuzz_target;\n",
            ),
            ("use libfuzzer_sys::*;", "use dwindle::arbitrary::*;"),
            ("extern crate libfuzzer_sys as fuzz;\n", "use dwindle::arbitrary as fuzz;\n"),
            (
                "extern crate a;\n  extern crate libfuzzer_sys;\nextern crate b;\n",
                "extern crate a;\nextern crate b;\n",
            ),
            ("extern crate a; extern crate libfuzzer_sys;\n", "extern crate a; \n"),
        ] {
            assert_eq!(converted(before), after);
        }
    }

    #[test]
    fn code_that_does_not_name_the_crate_stays() {
        for source in [
            "",
            "fn main() {}",
            "// use libfuzzer_sys::fuzz_target;",
            "const S: &str = \"libfuzzer_sys\";",
            "use libfuzzer_system::x;",
        ] {
            assert_eq!(convert(source, true), Ok(None), "{source}");
        }
    }

    #[test]
    fn code_that_cannot_be_converted_is_refused() {
        assert_eq!(convert("use libfuzzer_sys::{ fuzz_target;", false), Err(Refusal::NotRust));
        for by_itself in [
            "#[export_name = \"rust_fuzzer_test_input\"]\npub extern fn go(data: &[u8]) {}",
            "#[no_mangle]\npub extern fn rust_fuzzer_test_input(data: &[u8]) {}",
        ] {
            let line = if by_itself.starts_with("#[export") { 2 } else { 3 };
            assert_eq!(
                convert(&format!("extern crate libfuzzer_sys;\n{by_itself}"), true),
                Err(Refusal::NoMacro(line))
            );
        }
    }

    #[test]
    fn edition_2015_keeps_extern_crate_at_the_root() {
        for (before, after) in [
            (
                "#[macro_use] extern crate libfuzzer_sys;\nfuzz_target!(|d| {});",
                "extern crate dwindle;\nuse dwindle::arbitrary::fuzz_target;\nfuzz_target!(|d| \
                 {});",
            ),
            (
                "extern crate libfuzzer_sys;\nuse libfuzzer_sys::fuzz_target;",
                "extern crate dwindle;\nuse dwindle::arbitrary::fuzz_target;",
            ),
            (
                "extern crate libfuzzer_sys as fuzz;",
                "extern crate dwindle;\nuse dwindle::arbitrary as fuzz;",
            ),
            ("libfuzzer_sys::fuzz_target!(|d| {});", "dwindle::arbitrary::fuzz_target!(|d| {});"),
            (
                "#[cfg(fuzzing)]\n#[macro_use]\nextern crate libfuzzer_sys;",
                "#[cfg(fuzzing)]\nextern crate dwindle;\n#[cfg(fuzzing)]\nuse \
                 dwindle::arbitrary::fuzz_target;",
            ),
        ] {
            assert_eq!(convert(before, true).unwrap().as_deref(), Some(after));
        }
    }

    #[test]
    fn a_name_that_other_code_uses_stays() {
        for (before, after) in [
            (
                "pub use libfuzzer_sys;\nmacro_rules! fuzz { ($f:path) => { \
                 $crate::libfuzzer_sys::fuzz_target!(|d| { $f(d) }); } }",
                "pub use dwindle::arbitrary as libfuzzer_sys;\nmacro_rules! fuzz { ($f:path) => { \
                 $crate::libfuzzer_sys::fuzz_target!(|d| { $f(d) }); } }",
            ),
            ("pub extern crate libfuzzer_sys;", "pub use dwindle::arbitrary as libfuzzer_sys;"),
            (
                "pub use {arbitrary, libfuzzer_sys};",
                "pub use {arbitrary, dwindle::arbitrary as libfuzzer_sys};",
            ),
            ("use ::libfuzzer_sys;", "use ::dwindle::arbitrary as libfuzzer_sys;"),
        ] {
            assert_eq!(converted(before), after);
            assert_eq!(convert(after, false), Ok(None));
        }
        assert_eq!(convert("common::libfuzzer_sys::fuzz_target!(|d| {});", false), Ok(None));
        assert_eq!(
            convert("pub extern crate libfuzzer_sys;", true).unwrap().as_deref(),
            Some("pub use dwindle::arbitrary as libfuzzer_sys;\nextern crate dwindle;")
        );
        assert_eq!(
            converted("#[cfg(fuzzing)]\nextern crate libfuzzer_sys;\nfn f() {}\n"),
            "fn f() {}\n"
        );
    }

    #[test]
    fn mutators_and_features_are_converted() {
        for (before, after) in [
            (
                "use libfuzzer_sys::{fuzz_mutator, fuzzer_mutate};\n\
                 libfuzzer_sys::fuzz_crossover!(|a: &[u8], b: &[u8], out: &mut [u8], seed: u32| { \
                 0 });",
                "use dwindle::arbitrary::{fuzz_mutator, fuzzer_mutate};\n\
                 dwindle::arbitrary::fuzz_crossover!(|a: &[u8], b: &[u8], out: &mut [u8], seed: \
                 u32| { 0 });",
            ),
            (
                "#[macro_use] extern crate libfuzzer_sys;\nfuzz_target!(|d| {});\n\
                 fuzz_mutator!(|d: &mut [u8], s: usize, m: usize, r: u32| { s });",
                "use dwindle::arbitrary::{fuzz_target, fuzz_mutator};\nfuzz_target!(|d| {});\n\
                 fuzz_mutator!(|d: &mut [u8], s: usize, m: usize, r: u32| { s });",
            ),
            (
                "#[cfg(any(fuzzing, feature = \"libfuzzer-sys\"))]\n#[macro_use] extern crate \
                 libfuzzer_sys;",
                "#[cfg(any(fuzzing, feature = \"dwindle\"))]\nuse dwindle::arbitrary::fuzz_target;",
            ),
            (
                "#[cfg(feature = \"libfuzzer-sys\")] mod x; const N: &str = \"libfuzzer-sys\";",
                "#[cfg(feature = \"dwindle\")] mod x; const N: &str = \"libfuzzer-sys\";",
            ),
        ] {
            assert_eq!(converted(before), after);
        }
    }

    #[test]
    fn another_name_of_the_crate_is_converted_where_it_begins_a_path() {
        for (before, after) in [
            ("use my_fuzz::fuzz_target;", "use dwindle::arbitrary::fuzz_target;"),
            (
                "use {std::fmt, my_fuzz::Corpus};\n::my_fuzz::fuzz_target!(|d| {});",
                "use {std::fmt, dwindle::arbitrary::Corpus};\n\
                 ::dwindle::arbitrary::fuzz_target!(|d| {});",
            ),
            ("pub use my_fuzz;", "pub use dwindle::arbitrary as my_fuzz;"),
            ("extern crate my_fuzz as f;", "use dwindle::arbitrary as f;"),
            (
                "#[cfg(feature = \"my-fuzz\")] my_fuzz::fuzz_target!(|d| {});",
                "#[cfg(feature = \"dwindle\")] dwindle::arbitrary::fuzz_target!(|d| {});",
            ),
        ] {
            assert_eq!(super::convert(before, "my-fuzz", false).unwrap().as_deref(), Some(after));
        }
        let others = "fn my_fuzz() { f(a, my_fuzz, b.my_fuzz, c::my_fuzz::d); } use libfuzzer_sys;";
        assert_eq!(super::convert(others, "my-fuzz", false), Ok(None));
    }
}

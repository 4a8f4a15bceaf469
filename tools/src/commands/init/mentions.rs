//! Finds files that still name libfuzzer-sys after a conversion: scripts, workflows, generators of
//! targets. They are listed for the user and stay unchanged.

use crate::change::Change;
use crate::manifests::folders;
use crate::screen::from_here;
use proc_macro2::{TokenStream, TokenTree};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const NAMES: [&str; 2] = ["libfuzzer_sys", "libfuzzer-sys"];

/// Larger files count as data and are skipped.
const SIZE_MAX: u64 = 1 << 20;

/// The most files in the list.
const FILES_MAX: usize = 30;

/// A file that names libfuzzer-sys: its first such line, the line's number, and how many more such
/// lines follow.
struct Mention {
    path: PathBuf,
    line: usize,
    text: String,
    more: usize,
}

/// A text about the files that still name libfuzzer-sys after the changes. Empty if there are none.
///
/// Searches the whole repository. Without one, searches the outermost parent in an unbroken row of
/// folders with a `Cargo.toml`, else `dir` itself. In Rust files comments do not count.
pub(super) fn words(dir: &Path, changes: &[Change]) -> String {
    let is_root = |folder: &&Path| folder.join(".git").exists();
    let outermost =
        || dir.ancestors().skip(1).take_while(|folder| folder.join("Cargo.toml").is_file()).last();
    let root = dir.ancestors().find(is_root).or_else(outermost).unwrap_or(dir);
    let mentions: Vec<Mention> =
        folders(root, true).iter().flat_map(|folder| in_folder(folder, changes)).collect();
    if mentions.is_empty() {
        return String::new();
    }
    let mut words = "These files also name libfuzzer-sys. They stay as they are; check whether \
                     you must change them:\n"
        .to_owned();
    for Mention { path, line, text, more } in mentions.iter().take(FILES_MAX) {
        // Writing to a string cannot fail.
        let _ = write!(words, "  {}:{line}: {text}", from_here(path));
        let _ = if *more > 0 { writeln!(words, " (and {more} more)") } else { writeln!(words) };
    }
    if mentions.len() > FILES_MAX {
        let _ = writeln!(words, "  and {} more files", mentions.len() - FILES_MAX);
    }
    words
}

fn in_folder(folder: &Path, changes: &[Change]) -> Vec<Mention> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| in_file(path, changes)).collect()
}

fn in_file(path: &Path, changes: &[Change]) -> Option<Mention> {
    // Cargo rewrites this file itself.
    let is_lock = path.file_name().is_some_and(|name| name == "Cargo.lock");
    let is_small = fs::symlink_metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= SIZE_MAX);
    if is_lock || !is_small {
        return None;
    }
    let planned =
        changes.iter().find(|change| path.canonicalize().is_ok_and(|path| path == change.path));
    let text =
        planned.map(|change| change.after.clone()).or_else(|| fs::read_to_string(path).ok())?;
    if !names_it(&text) {
        return None;
    }
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    let of_text = || {
        (1..)
            .zip(text.lines())
            .filter(|(_, line)| names_it(line))
            .map(|(number, _)| number)
            .collect()
    };
    let lines =
        if is_rust { in_rust(&text, planned.is_none()).unwrap_or_else(of_text) } else { of_text() };
    let line = *lines.first()?;
    let shown: String = text
        .lines()
        .nth(line - 1)
        .unwrap_or_default()
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(100)
        .collect();
    Some(Mention { path: path.to_owned(), line, text: shown, more: lines.len() - 1 })
}

fn names_it(text: &str) -> bool {
    NAMES.iter().any(|name| text.contains(name))
}

/// The lines of a Rust source that name it in a string, or also in code if `code_counts`. `None` if
/// the source is not valid Rust.
///
/// The code of a converted file does not count, because there it is only a name.
fn in_rust(source: &str, code_counts: bool) -> Option<Vec<usize>> {
    fn collect(tokens: TokenStream, source: &str, code_counts: bool, lines: &mut Vec<usize>) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => collect(group.stream(), source, code_counts, lines),
                TokenTree::Ident(ident) if code_counts && ident == NAMES[0] => {
                    lines.push(ident.span().start().line);
                }
                TokenTree::Literal(literal) => {
                    // For the parser a doc comment is a string literal too.
                    let is_comment = source
                        .get(literal.span().byte_range())
                        .is_some_and(|text| text.starts_with('/'));
                    let text = literal.to_string();
                    if !is_comment && names_it(&text) {
                        let before = text.lines().take_while(|line| !names_it(line)).count();
                        lines.push(literal.span().start().line + before);
                    }
                }
                _ => {}
            }
        }
    }
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let mut lines = Vec::new();
    collect(source.parse().ok()?, source, code_counts, &mut lines);
    lines.dedup();
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_code_and_strings_count_and_names_in_comments_do_not() {
        let source = "//! libfuzzer_sys\n/// libfuzzer-sys\nuse libfuzzer_sys::x; // \
                      libfuzzer_sys\nconst T: &str = \"a\nuse libfuzzer_sys;\n\";\n#[doc = \"x\"] \
                      fn f() {}\n";
        assert_eq!(in_rust(source, true), Some(vec![3, 5]));
        assert_eq!(in_rust(source, false), Some(vec![5]));
        assert_eq!(in_rust("// libfuzzer_sys", true), Some(vec![]));
        assert_eq!(in_rust("{ libfuzzer_sys", true), None);
    }
}

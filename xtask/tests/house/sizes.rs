//! How large lines, files and functions may be.

use std::fs;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, ItemMod, Signature, TraitItemFn};

use crate::sources::{CRATES, files, is_test, library_files, shown};

/// Columns of a line.
const COLUMNS: usize = 100;
/// Lines of a file, without its tests.
const LINES_OF_FILE: usize = 400;
/// Lines of a function, with its signature.
const LINES_OF_FUNCTION: usize = 70;

/// Folders with Rust code of ours.
const FOLDERS: [&str; 7] = ["engine", "corpus", "harness", "tools", "fuzz", "xtask", "bench"];

/// The sizes of a file without its tests.
#[derive(Default)]
struct Sizes {
    lines: usize,
    /// Names and lines of functions.
    functions: Vec<(String, usize)>,
}

fn lines_of(span: proc_macro2::Span) -> usize {
    span.end().line + 1 - span.start().line
}

impl Sizes {
    fn of(text: &str, parsed: &syn::File) -> Sizes {
        let mut sizes = Sizes { lines: text.lines().count(), functions: Vec::new() };
        sizes.visit_file(parsed);
        sizes
    }

    fn take(&mut self, signature: &Signature, block: &Block) {
        let lines = block.span().end().line + 1 - signature.span().start().line;
        self.functions.push((signature.ident.to_string(), lines));
    }
}

impl<'ast> Visit<'ast> for Sizes {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if is_test(&module.attrs) {
            self.lines -= lines_of(module.span());
        } else {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_test(&function.attrs) {
            self.take(&function.sig, &function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.take(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(block) = &function.default {
            self.take(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

/// Each file of library code with its sizes.
fn library() -> Vec<(String, Sizes)> {
    let library = CRATES.into_iter().flat_map(library_files);
    let sized = library.map(|(parsed, file)| {
        let text = fs::read_to_string(&file).expect("a source file");
        (shown(&file), Sizes::of(&text, &parsed))
    });
    sized.collect()
}

/// A line is too long, and could be broken. A long word, for example an address, cannot.
fn is_too_long(line: &str) -> bool {
    let longest = line.split_whitespace().map(str::len).max().unwrap_or(0);
    line.chars().count() > COLUMNS && longest < COLUMNS / 2
}

#[test]
fn lines_have_at_most_100_columns() {
    let mut found = Vec::new();
    for file in FOLDERS.into_iter().flat_map(|folder| files(folder, &["rs"])) {
        let text = fs::read_to_string(&file).expect("a source file");
        let long = text.lines().enumerate().filter(|(_, line)| is_too_long(line));
        found.extend(long.map(|(number, _)| format!("{}:{}", shown(&file), number + 1)));
    }
    assert!(found.is_empty(), "these lines are too long:\n{}", found.join("\n"));
}

#[test]
fn library_files_have_at_most_400_lines() {
    let found: Vec<_> = library()
        .into_iter()
        .filter(|(_, sizes)| sizes.lines > LINES_OF_FILE)
        .map(|(file, sizes)| format!("{file}: {} lines", sizes.lines))
        .collect();
    assert!(found.is_empty(), "these files are too long:\n{}", found.join("\n"));
}

#[test]
fn functions_have_at_most_70_lines() {
    let mut found = Vec::new();
    for (file, sizes) in library() {
        let long = sizes.functions.iter().filter(|(_, lines)| *lines > LINES_OF_FUNCTION);
        found.extend(long.map(|(name, lines)| format!("{file}: `{name}` has {lines} lines")));
    }
    assert!(found.is_empty(), "these functions are too long:\n{}", found.join("\n"));
}

#[test]
fn tests_do_not_count() {
    let text = "fn one(\n    n: u8,\n) {\n    two();\n}\n\n\
                #[cfg(test)]\nmod tests {\n    fn three() {}\n}\n";
    let sizes = Sizes::of(text, &syn::parse_file(text).expect("it is Rust"));
    assert_eq!((sizes.lines, sizes.functions), (6, vec![("one".to_owned(), 5)]));
}

//! The documents, and the list of pages in `docs/SUMMARY.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::tools;

/// The names of the files in `docs/` that are pages, or the list of them.
pub(crate) fn pages() -> BTreeSet<String> {
    let entries = fs::read_dir(tools::root().join("docs")).expect("the folder of the book");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let pages = paths.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
}

/// README and all files of the book.
pub(crate) fn documents() -> Vec<PathBuf> {
    let docs = tools::root().join("docs");
    let pages = pages().into_iter().map(|page| docs.join(page));
    [tools::root().join("README.md")].into_iter().chain(pages).collect()
}

/// The text of a document.
pub(crate) fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = text(&tools::root().join("docs/SUMMARY.md"));
    let listed: Vec<String> = summary
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().expect("a link ends").to_owned())
        .collect();
    let distinct: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), distinct.len(), "a page is listed twice: {listed:?}");
    let mut pages = pages();
    assert!(pages.remove("SUMMARY.md"));
    assert_eq!(distinct, pages);
}

#[test]
fn readme_is_read_in_five_minutes() {
    let lines = text(&tools::root().join("README.md")).lines().count();
    assert!(lines <= 200, "README has {lines} lines; move some into a page of docs/");
}

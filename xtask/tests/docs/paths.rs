//! The paths that documents name exist.

use std::path::Path;

use xtask::transcripts::{Kind, blocks};

use crate::pages::{documents, pages, text};

/// Words in backticks that name a path: they hold a slash, or end like a file.
fn named_paths(document: &str) -> Vec<&str> {
    let code = document.split("```").step_by(2).collect::<Vec<_>>();
    let words = code.iter().flat_map(|text| text.split('`').skip(1).step_by(2));
    words.filter(|word| is_path(word)).collect()
}

fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "/_-.".contains(c));
    let ours = ["engine", "corpus", "harness", "tools", "fuzz", "bench", "xtask", "docs"]
        .iter()
        .any(|folder| word.starts_with(&format!("{folder}/")));
    let is_source = Path::new(word).extension().is_some_and(|extension| extension == "rs");
    plain && (ours || is_source && word.contains('/'))
}

/// The files that the pages of the book make.
fn files_of_scenes() -> Vec<String> {
    let blocks = documents().into_iter().flat_map(|path| blocks(&text(&path)).expect("markers"));
    let files = blocks.filter_map(|block| match block.kind {
        Kind::File { path } => Some(path),
        _ => None,
    });
    files.collect()
}

fn missing(document: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let text = std::fs::read_to_string(root.join(document)).expect("the document exists");
    let paths = named_paths(&text);
    let scenes = files_of_scenes();
    // What a run makes is not in the tree, and neither is the crate that a page shows.
    let is_made = |path: &str| {
        ["crashes", "artifacts", "corpus", "afl", "target"]
            .iter()
            .any(|folder| path.starts_with(&format!("fuzz/{folder}")))
            || scenes.iter().any(|file| file.ends_with(&format!("/{path}")))
    };
    paths
        .into_iter()
        .filter(|path| !is_made(path) && !root.join(path).exists())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_path_that_the_documents_name_exists() {
    let pages = pages().into_iter().map(|page| format!("docs/{page}"));
    for document in ["ARCHITECTURE.md", "README.md"].map(str::to_owned).into_iter().chain(pages) {
        assert_eq!(missing(&document), Vec::<String>::new(), "named by {document}");
    }
}

#[test]
fn a_path_that_does_not_exist_is_noticed() {
    assert_eq!(
        named_paths("see `engine/src/nowhere.rs` and `cargo xtask ci`"),
        ["engine/src/nowhere.rs"]
    );
}

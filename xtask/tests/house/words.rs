//! The words of the house: comments, documents and names use the field's words, and plain English.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

use crate::sources::{files, root, shown};

/// Words that prose, comments and names do without, with what stands in their place.
const AVOIDED: [(&str, &str); 18] = [
    ("nobody", "name the thing that acts"),
    ("whoever", "name the thing that acts"),
    ("somebody", "name the thing that acts"),
    ("so many", "a number, or `count`"),
    ("is none", "say what it is"),
    ("made out", "found, computed"),
    ("left no", "say what is missing"),
    ("of its own", "its own, separate"),
    ("nursery", "fork server"),
    ("standby", "snapshot"),
    ("asker", "client, parent"),
    ("killers", "known crashing inputs"),
    ("keeper", "session daemon"),
    ("mood", "sampling profile"),
    ("moods", "sampling profiles"),
    ("sighting", "hit"),
    ("sightings", "hits"),
    ("pulse", "heartbeat"),
];

/// Folders with sources and documents of ours.
const FOLDERS: [&str; 7] = ["engine", "corpus", "harness", "tools", "fuzz", "xtask", "docs"];
/// All sources and documents.
fn all_files() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    found.extend(FOLDERS.iter().flat_map(|folder| files(folder, &["rs", "md"])));
    found
}

/// The prose of a file: comments of a source, and a document without its code.
fn prose(text: &str, is_source: bool) -> String {
    let lines = text.lines().map(str::trim_start);
    let lines =
        lines.filter_map(|line| if is_source { line.strip_prefix("//") } else { Some(line) });
    let (mut prose, mut is_code) = (String::new(), false);
    for line in lines {
        let line = line.trim_start_matches(['/', '!']);
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            // What stands in backticks is a name.
            let words = line.split('`').step_by(2);
            prose.extend(words.flat_map(|words| [words, " "]));
            prose.push('\n');
        }
    }
    prose
}

/// The avoided words in a text, with what to write.
fn avoided(prose: &str) -> Vec<(&'static str, &'static str)> {
    let is_plain = |c: char| !c.is_alphanumeric();
    let words: Vec<_> = prose.split(is_plain).filter(|word| !word.is_empty()).collect();
    let text = format!(" {} ", words.join(" ").to_lowercase());
    AVOIDED.into_iter().filter(|(word, _)| text.contains(&format!(" {word} "))).collect()
}

/// Collects the identifiers of a source.
fn identifiers(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(identifier) => drop(found.insert(identifier.to_string())),
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The avoided word in a name: `old_mood` and `OldMood` hold `mood`, `moody` does not.
fn avoided_in_name(name: &str) -> Option<(&'static str, &'static str)> {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_uppercase() && spaced.ends_with(char::is_lowercase) {
            spaced.push(' ');
        }
        spaced.push(c);
    }
    // `Option::is_none` has its name from the standard library.
    avoided(&spaced).into_iter().find(|(word, _)| *word != "is none")
}

#[test]
fn names_use_the_words_of_the_house() {
    let mut found = Vec::new();
    for file in all_files() {
        let mut names = BTreeSet::from([file.file_stem().unwrap().to_string_lossy().into_owned()]);
        if file.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&file).expect("a text");
            identifiers(text.parse().expect("it is Rust"), &mut names);
        }
        let place = shown(&file);
        let words = names.iter().filter_map(|name| Some((name, avoided_in_name(name)?.1)));
        found.extend(words.map(|(name, better)| format!("{place}: `{name}`; write: {better}")));
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn comments_and_documents_use_the_words_of_the_house() {
    // This file names the words.
    let this = Path::new(file!()).file_name();
    let mut found = Vec::new();
    for file in all_files().iter().filter(|file| file.file_name() != this) {
        let text = fs::read_to_string(file).expect("a text");
        let is_source = file.extension().is_some_and(|ending| ending == "rs");
        let words = avoided(&prose(&text, is_source));
        let place = shown(file);
        found.extend(
            words.iter().map(|(word, better)| format!("{place}: \"{word}\"; write: {better}")),
        );
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn a_word_is_found_in_comments_and_not_in_code() {
    let source =
        "/// Ended by\n/// whoever.\n/// ```\n/// nobody()\n/// ```\nlet nobody = 1; // so Many\n";
    assert_eq!(avoided(&prose(source, true)).len(), 1);
    assert_eq!(avoided(&prose("of its\nown, `nobody`\n```\nwhoever\n```\n", false)).len(), 1);
}

#[test]
fn a_word_is_found_in_names() {
    let mut names = BTreeSet::new();
    identifiers("fn one() { let Some(two) = three!(\"four\"); }".parse().unwrap(), &mut names);
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    assert_eq!(names, ["Some", "fn", "let", "one", "three", "two"]);
    for name in ["mood", "old_mood", "MOODS_MAX", "OldMood", "the_asker_waits"] {
        assert!(avoided_in_name(name).is_some(), "{name}");
    }
    assert_eq!(avoided_in_name("moody"), None);
}

//! All links between the documents resolve, also those to a heading.

use std::collections::BTreeSet;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use xtask::tools;

use crate::pages::{documents, text};

/// The addresses of the links of a document.
fn links(document: &str) -> Vec<String> {
    Parser::new_ext(document, Options::ENABLE_TABLES)
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
            _ => None,
        })
        .collect()
}

/// The anchors of a document's headings, as GitHub and mdBook make them.
fn anchors(document: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(document, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(_)) => anchors.extend(heading.take().map(|text| {
                text.to_lowercase()
                    .chars()
                    .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c))
                    .map(|c| if c == ' ' { '-' } else { c })
                    .collect::<String>()
            })),
            _ => {}
        }
    }
    anchors
}

/// What is wrong with a link of a document that lies in `folder`.
fn trouble(folder: &Path, document: &str, link: &str) -> Option<String> {
    if link.starts_with("https://") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    if folder == tools::root().join("docs") && path.contains('/') {
        return Some(format!("{link} leaves the book"));
    }
    let target = folder.join(path);
    if !path.is_empty() && !target.is_file() {
        return Some(format!("{link} does not exist"));
    }
    let linked = if path.is_empty() { document.to_owned() } else { text(&target) };
    (!anchor.is_empty() && !anchors(&linked).contains(anchor))
        .then(|| format!("{link}: no heading has this anchor"))
}

#[test]
fn every_link_resolves() {
    let mut troubles = Vec::new();
    for path in documents() {
        let document = text(&path);
        let folder = path.parent().expect("a folder");
        let found = links(&document);
        let found = found.iter().filter_map(|link| trouble(folder, &document, link));
        troubles.extend(found.map(|trouble| format!("{}: {trouble}", path.display())));
    }
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}

#[test]
fn links_and_anchors_are_read() {
    let document = "# The `a` of *b*!\n\n[one](x.md#y-z) and [two](#the-a-of-b)\n";
    assert_eq!(links(document), ["x.md#y-z", "#the-a-of-b"]);
    assert_eq!(anchors(document), BTreeSet::from(["the-a-of-b".to_owned()]));
    let docs = tools::root().join("docs");
    assert_eq!(trouble(&docs, document, "#the-a-of-b"), None);
    for (link, words) in [
        ("#the-b", "no heading"),
        ("../README.md", "leaves the book"),
        ("glossary.md#nothing", "no heading"),
        ("nothing.md", "does not exist"),
    ] {
        let trouble = trouble(&docs, document, link).unwrap();
        assert!(trouble.contains(words), "{trouble}");
    }
}

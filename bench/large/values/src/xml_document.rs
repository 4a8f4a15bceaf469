//! roxmltree 0.21: a parser of XML. Text.

use roxmltree::{Document, ParsingOptions};

/// Reads a text, and all names and attributes.
///
/// # Panics
///
/// Inside `roxmltree`.
pub fn check(text: &str) {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let Ok(document) = Document::parse_with_options(text, options) else { return };
    for node in document.descendants() {
        let _ = (node.tag_name(), node.text(), node.attributes().count());
    }
}

//! `toml_edit` 0.25: a parser of TOML that keeps the layout. Text.

use toml_edit::DocumentMut;

/// Reads a text, prints what was read and reads it again.
///
/// # Panics
///
/// Inside `toml_edit`, or if what was printed cannot be read.
pub fn check(text: &str) {
    let Ok(document) = text.parse::<DocumentMut>() else { return };
    let printed = document.to_string();
    assert!(printed.parse::<DocumentMut>().is_ok(), "{printed:?} cannot be read");
}

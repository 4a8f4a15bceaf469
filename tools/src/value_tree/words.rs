//! The words of a text, for comparing two texts.

use super::brackets::quoted;

/// The words of a text: names and numbers, quoted strings, and single other characters. Together
/// they are the text.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => quoted(rest, first),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after;
    }
    words
}

/// Whether a character belongs to a name or a number.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

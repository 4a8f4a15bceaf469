//! Makes text of unknown origin safe to print. A value, a message or a file name must not control
//! the terminal.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// Returns the text with control characters as escapes, as in `\u{1b}`. Line ends stay.
///
/// Escapes C0, DEL, C1, the characters that change the direction of text, and the Unicode line and
/// paragraph separators. All other characters stay, so escaping a text twice gives the same result.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && is_control(c))
}

/// Like [`printable`], for a text of one line such as a name: line ends are escaped too.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_control)
}

/// Returns a path for people, on one line.
pub fn printable_path(path: &Path) -> String {
    printable_line(&path.to_string_lossy()).into_owned()
}

/// Escapes every character of the JSON that could control a terminal. The values stay the same,
/// because only strings hold such characters.
pub fn printable_json(json: String) -> String {
    if json.is_ascii() && !json.contains('\u{7f}') {
        return json;
    }
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        // JSON may have line ends between its strings. Inside strings serde already escapes all of
        // C0.
        if c >= '\u{7f}' && is_control(c) {
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&is_escaped) else { return Cow::Borrowed(text) };
    let mut safe = String::with_capacity(text.len() + 16);
    safe.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_escaped(c) {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Whether [`printable_line`] escapes this character. All of them are in the basic plane of
/// Unicode, so four hex digits are enough in JSON.
fn is_control(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{206f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_line_breaks_stay() {
        let text =
            "red \x1b[31m\r\nbell\x07 del\x7f csi\u{9b}2J turned \u{202e}cba\u{2066} end\u{2028}.";
        let safe = r"red \u{1b}[31m\r".to_owned()
            + "\n"
            + r"bell\u{7} del\u{7f} csi\u{9b}2J turned \u{202e}cba\u{2066} end\u{2028}.";
        assert_eq!(printable(text), safe);
        assert_eq!(printable(&safe), safe, "escaping again changes nothing");
        assert_eq!(printable_line("a\nb\tc"), r"a\nb\tc");
    }

    #[test]
    fn other_text_does_not_change() {
        for text in ["", "plain", "zwölf Ø 東京 👩‍👩‍👧 \\u{1b}", "two\nlines\n"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn escaped_json_has_the_same_values() {
        let text = "\x1b \u{9b} \u{202e} \u{2028} \x7f ü";
        let json = printable_json(format!("{:#}", crate::Json::from(vec![text])));
        assert!(json.chars().all(|c| c == '\n' || !is_control(c)), "{json:?}");
        assert_eq!(crate::Json::read(json.as_bytes()), Ok(vec![text].into()));
    }
}

//! Where two texts of values differ, in whole words.

use std::ops::Range;

/// The words of a text: names and numbers, quoted strings, and single other characters. Together
/// they are the text.
pub(super) fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => quoted(rest, first),
            _ if is_part(first) => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after;
    }
    words
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the quoted string at the beginning, or of the quotation mark if none ends.
fn quoted(text: &str, mark: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if c == mark {
            return at + c.len_utf8();
        }
    }
    mark.len_utf8()
}

/// The words of `base` that differ in some of the `others`. `None` if all are equal. The range is
/// empty if the others only have additional words.
pub(super) fn changed(base: &[&str], others: &[Vec<&str>]) -> Option<Range<usize>> {
    let (mut start, mut end) = (base.len(), 0);
    let mut is_changed = false;
    for other in others.iter().filter(|other| **other != base) {
        is_changed = true;
        let same = |(a, b): &(&&str, &&str)| a == b;
        let before = base.iter().zip(other).take_while(same).count();
        let most = base.len().min(other.len()) - before;
        let behind = base.iter().rev().zip(other.iter().rev()).take(most).take_while(same).count();
        start = start.min(before);
        end = end.max(base.len() - behind);
    }
    is_changed.then(|| start..end.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names_numbers_and_strings() {
        let text = r#"Insert { key: -12, name: "a \" b" }"#;
        assert_eq!(words(text).concat(), text);
        assert!(words(text).contains(&"12") && words(text).contains(&r#""a \" b""#));
        assert_eq!(words("'\"").concat(), "'\"");
    }

    fn of(base: &str, others: &[&str]) -> Option<String> {
        let others: Vec<Vec<&str>> = others.iter().map(|other| words(other)).collect();
        let base = words(base);
        changed(&base, &others).map(|range| base[range].concat())
    }

    #[test]
    fn the_changed_words_are_whole() {
        assert_eq!(of("[Put(100, 0), Get]", &["[Put(170, 0), Get]"]).unwrap(), "100");
        assert_eq!(
            of("[Put(0, 0), Get]", &["[Put(1, 0), Get]", "[Put(0, 3), Get]"]).unwrap(),
            "0, 0"
        );
        assert_eq!(of("f(\"a\")", &["f(\"ab\")"]).unwrap(), "\"a\"");
    }

    #[test]
    fn additional_words_change_an_empty_range() {
        assert_eq!(of("[1]", &["[1, 2]"]).unwrap(), "");
        assert_eq!(of("[0, 0]", &["[0, 0, 0]"]).unwrap(), "");
        assert_eq!(of("[1]", &["[1]"]), None);
    }
}

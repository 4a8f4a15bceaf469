//! textwrap 0.12.0: without the breaking of words, lines keep whitespace at their ends.

use dwindle::prelude::*;
use textwrap::Wrapper;

/// Wrapping keeps the words, and no line has a blank at an end.
pub fn wrap(tc: &mut TestCase) {
    let words = tc.draw(g::vec(g::text().alphabet("abcdefghijklmnopqrstuvwxyz").len(1..12)));
    check(&words, tc.draw(g::integers(1..=20usize)));
}

/// The same of words of ASCII letters and digits, as a drop-in target.
pub fn wrap_drop_in(tc: &mut TestCase) {
    super::drop_in(tc, |(width, text): (u8, String)| {
        if text.bytes().all(|byte| byte == b' ' || byte.is_ascii_alphanumeric()) {
            let words: Vec<String> = text.split_whitespace().map(String::from).collect();
            check(&words, usize::from(width.max(1)));
        }
    });
}

fn check(words: &[String], width: usize) {
    let text = words.join(" ");
    let lines = Wrapper::new(width).break_words(false).wrap(&text);
    for line in &lines {
        assert_eq!(line.trim(), *line);
    }
    assert!(lines.iter().flat_map(|line| line.split_whitespace()).eq(words));
}

//! Cuts a long text and says how much is left out.

use std::borrow::Cow;
use std::fmt::{self, Debug, Write};

/// The most bytes of one value or message that a terminal, `report.txt` and `repro.rs` show.
pub const SHOWN_MAX_BYTES: usize = 4 << 10;
/// The most bytes of one value or message in `report.json`.
pub const JSON_MAX_BYTES: usize = 64 << 10;
/// The most bytes kept of everything that one run shows. Longer text is cut off while it is
/// written, so that even an endless `Debug` stops.
pub const WHOLE_MAX_BYTES: usize = 32 << 20;

/// `Debug` of a value, at most `text_max` bytes of it. Longer text is cut off while it is written.
pub fn excerpt_of(value: &dyn Debug, text_max: usize) -> String {
    let mut beginning = Beginning { text: String::new(), text_max };
    let is_cut =
        write!(beginning, "{value:?}").is_err() && beginning.text.len() == beginning.text_max;
    if is_cut {
        beginning.text.push_str(CUT_OFF);
    }
    beginning.text
}

/// Takes text up to its limit and refuses all text after that.
struct Beginning {
    text: String,
    text_max: usize,
}

impl Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let kept = text.floor_char_boundary(self.text_max - self.text.len());
        self.text.push_str(&text[..kept]);
        if kept == text.len() {
            return Ok(());
        }
        // Sets the limit to the present length, so that a shorter text is refused too.
        self.text_max = self.text.len();
        Err(fmt::Error)
    }
}

/// Cuts a text after `text_max` bytes and adds the number of bytes left out.
///
/// A text that was cut before is cut again, and the number stays right.
pub fn excerpt(text: &str, text_max: usize) -> Cow<'_, str> {
    let (body, more) = unmarked(text);
    if body.len() <= text_max {
        return Cow::Borrowed(text);
    }
    let end = body.floor_char_boundary(text_max);
    match more {
        Some(more) => Cow::Owned(body[..end].to_owned() + &mark(more + (body.len() - end) as u64)),
        None => Cow::Owned(body[..end].to_owned() + CUT_OFF),
    }
}

/// Cuts texts that are shown one after the other: each as [`excerpt`] does, and all together to
/// `all_max` bytes.
pub fn excerpts(texts: &[String], text_max: usize, all_max: usize) -> Vec<Cow<'_, str>> {
    let mut left = all_max;
    let cut = |text| {
        let cut = excerpt(text, text_max.min(left));
        left = left.saturating_sub(cut.len());
        cut
    };
    texts.iter().map(String::as_str).map(cut).collect()
}

const BEFORE: &str = " .. (";
const BEHIND: &str = " more bytes)";
/// Marks a text that was cut off while it was written.
const CUT_OFF: &str = " .. (cut off)";

fn mark(more: u64) -> String {
    format!("{BEFORE}{more}{BEHIND}")
}

/// The text before the mark, and the number in the mark. `None` if the number is unknown, 0 without
/// a mark.
fn unmarked(text: &str) -> (&str, Option<u64>) {
    if let Some(body) = text.strip_suffix(CUT_OFF) {
        return (body, None);
    }
    let marked = text
        .strip_suffix(BEHIND)
        .and_then(|text| text.rsplit_once(BEFORE))
        .and_then(|(body, more)| Some((body, more.parse().ok()?)));
    marked.map_or((text, Some(0)), |(body, more)| (body, Some(more)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character_and_says_how_much_more_there_is() {
        assert_eq!(excerpt("short", 5), "short");
        assert_eq!(excerpt("longer", 5), "longe .. (1 more bytes)");
        assert_eq!(excerpt("äöü", 3), "ä .. (4 more bytes)");
    }

    #[test]
    fn a_text_that_is_cut_twice_counts_all_missing_bytes() {
        let text = "x".repeat(1000);
        let once = excerpt(&text, 100).into_owned();
        assert_eq!(excerpt(&once, 100), once);
        assert_eq!(excerpt(&once, 10), excerpt(&text, 10));
        assert_eq!(excerpt(" .. (cut off)", 0), " .. (cut off)");
    }

    #[test]
    fn many_texts_are_cut_together() {
        let texts = vec!["abcdef".to_owned(); 4];
        let cut = excerpts(&texts, 4, 60);
        assert_eq!(
            cut,
            [
                "abcd .. (2 more bytes)",
                "abcd .. (2 more bytes)",
                "abcd .. (2 more bytes)",
                " .. (6 more bytes)"
            ]
        );
    }

    #[test]
    fn endless_debug_output_is_cut_while_it_is_written() {
        struct Endless;
        impl Debug for Endless {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                loop {
                    f.write_str("on and ")?;
                }
            }
        }
        assert_eq!(excerpt_of(&Endless, 10), "on and on  .. (cut off)");
        assert_eq!(excerpt_of(&"ääää", 4), "\"ä .. (cut off)");
        assert_eq!(excerpt_of(&[0; 4], 12), "[0, 0, 0, 0]");
    }
}

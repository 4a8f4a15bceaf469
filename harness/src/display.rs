//! Text of a target for terminals and files. It is limited in size, and it cannot control a
//! terminal.

#[cfg(feature = "libfuzzer")]
use std::fmt::{self, Debug, Write as _};
#[cfg(feature = "libfuzzer")]
use std::io;

#[cfg(feature = "libfuzzer")]
use dwindle_corpus::WHOLE_MAX_BYTES;
use dwindle_corpus::{SHOWN_MAX_BYTES, excerpt, printable};

/// The beginning of a value, a note or a message for a terminal, and the size of the rest.
pub(crate) fn text(text: &str) -> String {
    printable(&excerpt(text, SHOWN_MAX_BYTES)).into_owned()
}

/// Writes `{:#?}` of a value and a line end, with control characters escaped.
#[cfg(feature = "libfuzzer")]
pub(crate) fn write_pretty(out: &mut impl io::Write, value: &dyn Debug) -> io::Result<()> {
    let mut escaping = Escaping { out, left: WHOLE_MAX_BYTES };
    // An error here ends a value without end. A write error appears again below.
    let _ = write!(escaping, "{value:#?}");
    writeln!(out)
}

#[cfg(feature = "libfuzzer")]
struct Escaping<'a, W> {
    out: &'a mut W,
    /// Remaining bytes.
    left: usize,
}

#[cfg(feature = "libfuzzer")]
impl<W: io::Write> fmt::Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.left = self.left.checked_sub(text.len()).ok_or(fmt::Error)?;
        self.out.write_all(printable(text).as_bytes()).map_err(|_| fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_shows_the_beginning_of_a_text_with_escapes() {
        let shown = text(&("\x1b[31m\n".to_owned() + &"x".repeat(20 << 20)));
        assert!(
            shown.starts_with("\\u{1b}[31m\nxxx") && shown.ends_with("x .. (20967430 more bytes)"),
            "{}",
            &shown[shown.len() - 100..]
        );
    }
}

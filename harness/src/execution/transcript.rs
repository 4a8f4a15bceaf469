//! The transcript of a run for people: its draws and notes as text, in order.

use std::fmt::Debug;

use dwindle_corpus::{WHOLE_MAX_BYTES, excerpt, excerpt_of};
use dwindle_engine::internals::TranscriptEvent;

use crate::display;

/// The draws and notes of a run, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transcript {
    /// Contains no [`Line::Completed`].
    pub(crate) lines: Vec<Line>,
}

/// One event of a transcript, with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// `Debug` of a drawn value.
    Draw(String),
    Note(String),
    /// The name of the next draw.
    Name(String),
    /// The next draw is a line of a program.
    AsItStands,
    /// The final text of a draw, known only after the run. The draw is given by its number, counted
    /// from 0.
    Completed(usize, String),
}

/// Makes the texts of a transcript.
pub(crate) trait Texts {
    /// `Debug` of a value.
    fn value(&mut self, value: &dyn Debug) -> String;

    /// A note, or the beginning of one.
    fn note(&mut self, note: &str) -> String;
}

impl Line {
    /// An event with its text.
    pub(crate) fn of(event: TranscriptEvent<'_>, texts: &mut impl Texts) -> Line {
        match event {
            TranscriptEvent::Draw(value) => Line::Draw(texts.value(value)),
            TranscriptEvent::Note(note) => Line::Note(texts.note(note)),
            TranscriptEvent::Name(name) => Line::Name(name.to_owned()),
            TranscriptEvent::Line => Line::AsItStands,
            TranscriptEvent::Completed(draw, value) => Line::Completed(draw, texts.value(value)),
        }
    }

    /// Prints the beginning of the line to standard error, with control characters escaped.
    pub(crate) fn print(&self) {
        match self {
            Line::Draw(text) => eprintln!("draw  {}", display::text(text)),
            Line::Note(text) => eprintln!("note  {}", display::text(text)),
            Line::Completed(_, text) => eprintln!("asked {}", display::text(text)),
            Line::Name(_) | Line::AsItStands => {}
        }
    }
}

impl Transcript {
    /// Adds a line. A completed draw replaces the text of that draw.
    pub(crate) fn push(&mut self, line: Line) {
        let Line::Completed(number, text) = line else { return self.lines.push(line) };
        let mut draws = self
            .lines
            .iter_mut()
            .filter_map(|line| if let Line::Draw(draw) = line { Some(draw) } else { None });
        if let Some(draw) = draws.nth(number) {
            *draw = text;
        }
    }

    pub(crate) fn draws(&self) -> Vec<String> {
        self.lines
            .iter()
            .filter_map(|line| if let Line::Draw(draw) = line { Some(draw.clone()) } else { None })
            .collect()
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.lines
            .iter()
            .filter_map(|line| if let Line::Note(note) = line { Some(note.clone()) } else { None })
            .collect()
    }

    /// Whether any draw has a name.
    pub(crate) fn has_names(&self) -> bool {
        self.lines.iter().any(|line| matches!(line, Line::Name(_)))
    }
}

/// The bytes that one transcript may still use. Text beyond this limit is cut off as it is written.
pub(crate) struct TextRoom(usize);

impl Texts for TextRoom {
    /// `Debug` of a value, cut at the remaining room.
    fn value(&mut self, value: &dyn Debug) -> String {
        self.take(excerpt_of(value, self.0))
    }

    /// A note, cut at the remaining room.
    fn note(&mut self, note: &str) -> String {
        self.take(excerpt(note, self.0).into_owned())
    }
}

impl TextRoom {
    pub(crate) fn new() -> TextRoom {
        TextRoom(WHOLE_MAX_BYTES)
    }

    fn take(&mut self, text: String) -> String {
        self.0 = self.0.saturating_sub(text.len());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_and_notes_of_a_run_share_one_limit() {
        let mut room = TextRoom(10);
        assert_eq!((room.value(&1234), room.note("567")), ("1234".to_owned(), "567".to_owned()));
        assert_eq!(
            (room.value(&[0; 100]), room.note("none")),
            ("[0, .. (cut off)".to_owned(), " .. (4 more bytes)".to_owned())
        );
    }
}

//! A transcript in shared memory, written line by line: a worker may die while it writes.

use super::wire::{Reader, Writer};
use crate::execution::Line;

const DRAW: u8 = 0;
const NOTE: u8 = 1;
/// The number of the draw comes before the text.
const COMPLETED: u8 = 2;
const NAME: u8 = 3;
/// The text is empty.
const AS_IT_STANDS: u8 = 4;

pub(super) fn write(writer: &mut Writer<'_>, line: &Line) {
    let (tag, text) = match line {
        Line::Draw(text) => (DRAW, &**text),
        Line::Note(text) => (NOTE, &**text),
        Line::Completed(_, text) => (COMPLETED, &**text),
        Line::Name(text) => (NAME, &**text),
        Line::AsItStands => (AS_IT_STANDS, ""),
    };
    writer.byte(tag);
    if let Line::Completed(draw, _) = line {
        writer.number(*draw as u64);
    }
    writer.string(text.as_bytes());
}

/// Reads the next line, if it is complete. A line with an unknown tag becomes a note.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<Line> {
    let tag = reader.byte()?;
    let draw = if tag == COMPLETED { Some(reader.number()? as usize) } else { None };
    let text = reader.text()?;
    Some(match (tag, draw) {
        (_, Some(draw)) => Line::Completed(draw, text),
        (DRAW, _) => Line::Draw(text),
        (NAME, _) => Line::Name(text),
        (AS_IT_STANDS, _) => Line::AsItStands,
        _ => Line::Note(text),
    })
}

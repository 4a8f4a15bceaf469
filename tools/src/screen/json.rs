//! `--json`: writes every event as a line of JSON on stdout, and nothing else.
//!
//! The events are those of the target binary, and those of the command itself.
//! [`dwindle_corpus::events`] has the schema.

use crate::exit::Exit;
use crate::screen::libfuzzer::Figures;
use dwindle_corpus::events::{Event, EventLine, VERSION};
use std::io::{self, Write};

/// Writes the first line of every command: the version of the schema.
pub(crate) fn write_schema() {
    // If stdout is closed, no reader is left.
    let _ = write(Event::Schema { version: VERSION });
}

/// Writes an event of this command. Fails when stdout is closed.
pub(crate) fn write(event: Event) -> io::Result<()> {
    write_line(&EventLine::new(event, ""))
}

/// Writes an event that has only words.
pub(crate) fn write_words(event: Event, words: &str) -> io::Result<()> {
    write_line(&EventLine::new(event, words))
}

/// Writes one line. Fails when stdout is closed.
pub(crate) fn write_line(line: &EventLine) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

/// Writes the last line of every command: the exit code.
pub(crate) fn write_exit(exit: Exit) {
    // If stdout is closed, no reader is left.
    let _ = write(Event::Exit { code: exit as u8 });
}

/// Adds libFuzzer's figures to a heartbeat.
pub(crate) fn add_figures(heartbeat: &mut EventLine, figures: Figures) {
    for (field, figure) in [("coverage", figures.coverage), ("corpus", figures.corpus)] {
        if let Some(figure) = figure {
            heartbeat.add(field, figure);
        }
    }
}

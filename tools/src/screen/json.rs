//! `--json`: writes every event as a line of JSON on stdout, and nothing else.
//!
//! The events are those of the target binary, with three additions. `built` comes first and says
//! what is about to run. Under libFuzzer each `pulse` has `coverage` and `corpus`. `exit` is the
//! last line.

use crate::events::Event;
use crate::exit::Exit;
use crate::screen::libfuzzer::Figures;
use std::io::{self, Write};

/// Writes one event. Fails when stdout is closed.
pub(crate) fn write(event: &Event) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", event.to_line())?;
    stdout.flush()
}

/// Writes the last line of every run: the exit code.
pub(crate) fn write_exit(exit: Exit) {
    // If stdout is closed, no reader is left.
    let _ = write(&Event::new("exit").with("code", exit as u8));
}

/// Adds libFuzzer's figures to a heartbeat.
pub(crate) fn with_figures(mut pulse: Event, figures: Figures) -> Event {
    for (field, figure) in [("coverage", figures.coverage), ("corpus", figures.corpus)] {
        if let Some(figure) = figure {
            pulse = pulse.with(field, figure);
        }
    }
    pulse
}

//! `--json`: every event as a line of JSON on stdout, and nothing else there.
//!
//! The events are the target binary's, plus `built` (what is about to run) before the first, `coverage` and `corpus` in each `pulse` under libFuzzer, and `exit` as the last line.

use crate::events::Event;
use crate::exit::Exit;
use crate::screen::libfuzzer::Figures;
use std::io::{self, Write};

/// Writes one event. Fails when nobody reads stdout any more.
pub(crate) fn write(event: &Event) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", event.to_line())?;
    stdout.flush()
}

/// The last line of every run: the exit code.
pub(crate) fn write_exit(exit: Exit) {
    // Nobody left to tell.
    let _ = write(&Event::new("exit").with("code", exit as u8));
}

/// The pulse with what libFuzzer said of itself.
pub(crate) fn with_figures(mut pulse: Event, figures: Figures) -> Event {
    for (field, figure) in [("coverage", figures.coverage), ("corpus", figures.corpus)] {
        if let Some(figure) = figure {
            pulse = pulse.with(field, figure);
        }
    }
    pulse
}

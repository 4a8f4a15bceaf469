//! The signals that ask this program to end.

use anyhow::{Context, Result};
use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::Exit;

/// Catches SIGINT, SIGTERM and SIGHUP. From its creation on, these signals no longer end this
/// process by themselves.
#[derive(Debug)]
pub(crate) struct Interrupts {
    signals: Signals,
}

/// Ends this process with [`Exit::Interrupted`] at once when its terminal is closed. For commands
/// that read keys: crossterm repeats a read at the end of a closed terminal for ever.
pub(crate) fn leave_with_the_terminal() -> Result<()> {
    let mut signals = Signals::new([SIGHUP]).context("cannot catch signals")?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            std::process::exit(Exit::Interrupted as i32);
        }
    });
    Ok(())
}

impl Interrupts {
    pub(crate) fn catch() -> Result<Self> {
        let signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).context("cannot catch signals")?;
        Ok(Self { signals })
    }

    /// A signal that came since the last call, in the form to pass on. Several signals since then
    /// count as one.
    pub(crate) fn next(&mut self) -> Option<Signal> {
        let mut last = None;
        for signal in self.signals.pending() {
            // Fuzzers do not handle SIGHUP. For them a closed terminal becomes a request to end.
            last = Some(if signal == SIGINT { Signal::INT } else { Signal::TERM });
        }
        last
    }
}

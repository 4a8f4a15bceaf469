//! The signals that ask us to end.

use anyhow::{Context, Result};
use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// SIGINT, SIGTERM and SIGHUP, taken from the moment of creation on: they no longer end this process by themselves.
#[derive(Debug)]
pub(crate) struct Interrupts {
    signals: Signals,
}

impl Interrupts {
    pub(crate) fn catch() -> Result<Self> {
        let signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).context("cannot catch signals")?;
        Ok(Self { signals })
    }

    /// A signal that came since the last call, as it is to be passed on. Several of one kind within a moment count once.
    pub(crate) fn next(&mut self) -> Option<Signal> {
        let mut last = None;
        for signal in self.signals.pending() {
            // Fuzzers know nothing of SIGHUP; to them a closed terminal is a request to end.
            last = Some(if signal == SIGINT { Signal::INT } else { Signal::TERM });
        }
        last
    }
}

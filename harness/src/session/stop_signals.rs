//! The signals that end a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::flag;

/// Flags that the signals set. The process polls the flags, so it needs no second thread.
pub(crate) struct StopSignals {
    /// SIGINT and SIGTERM set this flag.
    interrupted: Arc<AtomicBool>,
    /// SIGUSR1 and SIGUSR2 set this flag. At these signals libFuzzer ends in order.
    asked_to_end: Arc<AtomicBool>,
}

impl StopSignals {
    /// Installs the signal handlers. At the second SIGINT or SIGTERM the process leaves at once
    /// with `code`.
    pub(crate) fn handle(code: i32) -> Result<StopSignals, String> {
        let signals = StopSignals { interrupted: Arc::default(), asked_to_end: Arc::default() };
        signals.register(code).map_err(|error| format!("cannot handle signals: {error}"))?;
        Ok(signals)
    }

    fn register(&self, code: i32) -> std::io::Result<()> {
        for signal in [SIGINT, SIGTERM] {
            // The second signal ends the process at once.
            flag::register_conditional_shutdown(signal, code, Arc::clone(&self.interrupted))?;
            flag::register(signal, Arc::clone(&self.interrupted))?;
        }
        for signal in [SIGUSR1, SIGUSR2] {
            flag::register(signal, Arc::clone(&self.asked_to_end))?;
        }
        Ok(())
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }

    /// Whether a signal has asked the run to end since the last call.
    pub(crate) fn take_request_to_end(&self) -> bool {
        self.asked_to_end.swap(false, Ordering::AcqRel)
    }
}

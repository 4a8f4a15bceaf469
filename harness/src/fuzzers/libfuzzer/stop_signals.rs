//! The signals that end a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::flag;

use super::refuse;
use crate::exit::ENVIRONMENT;
use crate::exit::libfuzzer::INTERRUPTED;

/// Flags that the signals set. The process polls the flags, so it needs no second thread.
pub(super) struct StopSignals {
    /// SIGINT and SIGTERM set this flag.
    interrupted: Arc<AtomicBool>,
    /// SIGUSR1 and SIGUSR2 set this flag. At these signals libFuzzer ends in order.
    asked_to_end: Arc<AtomicBool>,
}

impl StopSignals {
    /// Installs the signal handlers. Ends the process if that fails.
    pub(super) fn handle() -> StopSignals {
        let signals = StopSignals { interrupted: Arc::default(), asked_to_end: Arc::default() };
        if let Err(error) = signals.register() {
            refuse(ENVIRONMENT, &format!("signals cannot be handled: {error}"));
        }
        signals
    }

    fn register(&self) -> std::io::Result<()> {
        for signal in [SIGINT, SIGTERM] {
            // The second signal ends the process at once.
            flag::register_conditional_shutdown(
                signal,
                INTERRUPTED,
                Arc::clone(&self.interrupted),
            )?;
            flag::register(signal, Arc::clone(&self.interrupted))?;
        }
        for signal in [SIGUSR1, SIGUSR2] {
            flag::register(signal, Arc::clone(&self.asked_to_end))?;
        }
        Ok(())
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }

    /// Whether a signal has asked the run to end since the last call.
    pub(super) fn take_request_to_end(&self) -> bool {
        self.asked_to_end.swap(false, Ordering::AcqRel)
    }
}

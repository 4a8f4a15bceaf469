//! A process that behaves as a target of libfuzzer-sys does.

use dwindle_engine::TestCase;
use dwindle_engine::internals::{Driver, Outcome, execute};

use super::coverage::Counters;
use crate::environment;

/// Runs the target in such a process. The panic hook of libfuzzer-sys aborts at a panic.
pub(super) struct Plain {
    tc: Driver,
    property: fn(&mut TestCase),
    counters: Counters,
}

impl Plain {
    pub(super) fn new(property: fn(&mut TestCase), counters: Counters) -> Plain {
        Plain { tc: Driver::new(), property, counters }
    }

    /// Runs one execution. Returns whether libFuzzer may keep the input.
    #[inline]
    pub(super) fn execute(&mut self, input: &[u8]) -> bool {
        self.counters.begin();
        self.tc.start_bytes(input, environment::choices_max());
        let passed = match execute(&mut self.tc, self.property) {
            Outcome::Passed => true,
            Outcome::Overrun | Outcome::Rejected => false,
            // The target has replaced the panic hook. A panic must still count as a failure.
            Outcome::Failed(_) => std::process::abort(),
        };
        self.counters.end(passed);
        passed
    }
}

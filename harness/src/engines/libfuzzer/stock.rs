//! A process that behaves as a target of libfuzzer-sys does.

use dwindle_engine::{Ended, Halt, TestCase, execute};

use super::coverage::Counters;
use super::member::Merging;
use crate::engines::modes;
use crate::session::config;

/// What runs the target there: its hook aborts at a panic.
pub(super) struct Stock {
    tc: TestCase,
    property: fn(&mut TestCase),
    counters: Counters,
    /// Whether it shows what is drawn.
    prints: bool,
    merging: Option<Merging>,
}

impl Stock {
    pub(super) fn new(property: fn(&mut TestCase), counters: Counters, prints: bool) -> Stock {
        Stock { tc: TestCase::new(), property, counters, prints, merging: Merging::of_this_process() }
    }

    /// One execution; whether libFuzzer may keep the input.
    #[inline]
    pub(super) fn execute(&mut self, input: &[u8]) -> bool {
        if self.prints {
            self.tc.listen(Some(Box::new(modes::print)));
        }
        if let Some(merging) = &self.merging {
            merging.begin(input);
        }
        self.counters.begin();
        self.tc.start_bytes(input, config::choices_max());
        let passed = match execute(&mut self.tc, self.property) {
            Ended::Returned => true,
            Ended::Halted(Halt::Overrun | Halt::Rejected) => false,
            // The target has replaced the hook; a failure stays a failure.
            Ended::Panicked(_) => std::process::abort(),
        };
        self.counters.end(passed);
        if let Some(merging) = &self.merging {
            merging.end();
        }
        passed
    }
}

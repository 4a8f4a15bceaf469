//! Counts the rejected inputs of a run by their reason.

use std::sync::atomic::{AtomicU64, Ordering};

use dwindle_corpus::events::Rejected;
use dwindle_engine::internals::{Driver, Rejection};

use super::Run;

/// Counters in shared memory. One process counts at a time.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Rejections {
    by_target: AtomicU64,
    by_filter: AtomicU64,
    not_distinct: AtomicU64,
    too_deep: AtomicU64,
    too_long: AtomicU64,
}

impl Rejections {
    /// Counts a run if it was rejected. It costs a few instructions, and nothing for an input that
    /// is accepted.
    #[inline]
    pub(crate) fn count(&self, run: &Run, driver: &Driver) {
        if matches!(run, Run::Rejected | Run::Overrun) {
            self.count_rejected(run, driver);
        }
    }

    #[cold]
    fn count_rejected(&self, run: &Run, driver: &Driver) {
        let counter = match (run, driver.rejection()) {
            (Run::Overrun, _) => &self.too_long,
            (_, Some(Rejection::Filter(_))) => &self.by_filter,
            (_, Some(Rejection::Distinct { .. })) => &self.not_distinct,
            (_, Some(Rejection::Depth(_))) => &self.too_deep,
            _ => &self.by_target,
        };
        // Cheaper than an atomic addition, and right because one process counts.
        counter.store(counter.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// The counts so far.
    pub(crate) fn figures(&self) -> Rejected {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Rejected {
            by_target: count(&self.by_target),
            by_filter: count(&self.by_filter),
            not_distinct: count(&self.not_distinct),
            too_deep: count(&self.too_deep),
            too_long: count(&self.too_long),
        }
    }
}

#[cfg(test)]
mod tests {
    use dwindle_engine::generators as g;
    use dwindle_engine::internals::{Outcome, execute};
    use dwindle_engine::{Generator, TestCase};

    use super::*;

    fn counted(target: fn(&mut TestCase), choices_max: usize) -> Rejected {
        let mut driver = Driver::new();
        driver.start_bytes(&[1; 64], choices_max);
        let run = match execute(&mut driver, target) {
            Outcome::Passed => Run::Passed,
            Outcome::Overrun => Run::Overrun,
            _ => Run::Rejected,
        };
        let rejections = Rejections::default();
        rejections.count(&run, &driver);
        rejections.figures()
    }

    #[test]
    fn each_reason_has_a_counter() {
        let none = Rejected::default();
        assert_eq!(counted(|_| {}, 100), none);
        assert_eq!(counted(|tc| tc.assume(false), 100), Rejected { by_target: 1, ..none });
        let filtered = |tc: &mut TestCase| {
            tc.draw(g::integers(0..=9u8).filter(|_| false));
        };
        assert_eq!(counted(filtered, 100), Rejected { by_filter: 1, ..none });
        let too_long = |tc: &mut TestCase| drop(tc.draw(g::vec(g::integers(0..=9u8)).len(9..)));
        assert_eq!(counted(too_long, 2), Rejected { too_long: 1, ..none });
    }
}

//! Where candidates of the shrinker run.
//!
//! The shrinker only knows [`Runner`]. Here candidates run in this process, with panics caught; what kills the process needs a worker process behind the same trait.

use std::sync::atomic::{AtomicU64, Ordering};

use dwindle_corpus::BugId;
use dwindle_engine::shrink::Runner;
use dwindle_engine::{Origin, Outcome, TestCase, Trace, Value};

use crate::failure::executor::{Executor, Run};

/// How many candidates this process has begun. A watchdog sees by it that one hangs.
pub(crate) static CANDIDATES: AtomicU64 = AtomicU64::new(0);

/// Runs candidates in this process.
pub(crate) struct InProcess<'a, P> {
    executor: &'a mut Executor<P>,
    /// The bugs met so far; an origin is an index into them.
    bugs: Vec<BugId>,
}

impl<'a, P: FnMut(&mut TestCase)> InProcess<'a, P> {
    pub(crate) fn new(executor: &'a mut Executor<P>) -> InProcess<'a, P> {
        InProcess { executor, bugs: Vec::new() }
    }

    /// The number that stands for a bug.
    pub(crate) fn origin(&mut self, id: BugId) -> Origin {
        let index = self.bugs.iter().position(|known| *known == id).unwrap_or_else(|| {
            self.bugs.push(id);
            self.bugs.len() - 1
        });
        Origin(index as u64)
    }
}

impl<P: FnMut(&mut TestCase)> Runner for InProcess<'_, P> {
    fn run(&mut self, candidate: &[Value], choices_max: usize, trace: &mut Trace) -> Outcome {
        CANDIDATES.fetch_add(1, Ordering::Relaxed);
        let run = self.executor.run_replay(candidate, choices_max);
        self.executor.tc.swap_trace(trace);
        match run {
            Run::Overrun => Outcome::Overrun,
            Run::Rejected => Outcome::Rejected,
            Run::Passed => Outcome::Passed,
            Run::Failed(failed) => Outcome::Failed(self.origin(failed.id)),
        }
    }
}

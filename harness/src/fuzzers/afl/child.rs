//! The process that runs the target, until it dies or afl-fuzz ends it.

use std::sync::atomic::{AtomicBool, Ordering};

use dwindle_engine::TestCase;

use super::reports::{Reported, Reports};
use super::runtime::Map;
use super::scores;
use crate::environment;
use crate::execution::{InProcess, Run};
use crate::failure::failed::Failed;
use crate::failure::panics::{self, Scope};
use crate::failure::variants::is_looked_at;
use crate::session::Hit;
use crate::system::process;
use crate::target::Target;

/// Runs the target in a child and reports its failures.
pub(super) struct Child {
    executor: InProcess<fn(&mut TestCase)>,
    reports: Reports,
    reported: Reported,
    map: Map,
}

/// Prepares a new child and returns the executor that runs the target in it.
pub(super) fn begin(target: &'static Target, server: libc::pid_t) -> InProcess<fn(&mut TestCase)> {
    // Between two inputs the child is stopped. If the fork server dies then, only this setting ends
    // the child.
    process::die_with(server);
    target.initialize();
    process::at_exit(on_exit_of_the_target);
    InProcess::new(
        target.property(),
        Scope::Process,
        target.manifest_dir(),
        environment::choices_max(),
    )
}

/// Whether the target runs.
static RUNS: AtomicBool = AtomicBool::new(false);

/// A target that ends its process fails, whatever its exit code. AFL++ recognizes failures by their
/// signals, so this handler aborts.
extern "C" fn on_exit_of_the_target(_code: libc::c_int, _argument: *mut libc::c_void) {
    if RUNS.load(Ordering::Relaxed) {
        std::process::abort();
    }
}

impl Child {
    /// Called in a child that is about to run its first input.
    pub(super) fn new(target: &'static Target, server: libc::pid_t, reports: Reports) -> Child {
        let map = Map::new();
        // The edges of one-time setup must not count as coverage of the first input.
        map.forget();
        let mut executor = begin(target, server);
        executor.driver.tell_scores(scores::tell);
        Child { executor, reports, reported: Reported::new(), map }
    }

    /// Runs one execution. A new panic ends the process, so that AFL++ records it as a crash.
    #[inline]
    pub(super) fn execute(&mut self, input: &[u8]) {
        self.map.show();
        RUNS.store(true, Ordering::Relaxed);
        let run = self.executor.run_bytes(input);
        RUNS.store(false, Ordering::Relaxed);
        match run {
            Run::Passed => self.map.hide(),
            Run::Misused(misuse) => {
                self.map.hide();
                self.reports.report_misuse(&misuse);
                misuse.leave();
            }
            Run::Rejected | Run::Overrun => self.map.forget(),
            Run::Failed(failed) => {
                self.map.hide();
                self.failed(input, &failed);
                self.map.forget();
            }
        }
    }

    #[cold]
    fn failed(&mut self, input: &[u8], failed: &Failed) {
        if let Some(index) = self.reported.get(&failed.id) {
            if self.reports.hits().saw(*index).is_some_and(is_looked_at) {
                self.report_way(input);
            }
            return;
        }
        let reported = self.reports.report(input, failed);
        if let Some((index, hit)) = reported {
            self.reports.hits().saw(index);
            if hit == Hit::Known {
                self.reported.insert(failed.id, index);
                return;
            }
        }
        // The bug is new, or there is no daemon. In both cases AFL++ keeps the input as a crash, as
        // it does without dwindle.
        std::process::abort()
    }

    /// Reports the call path to a known bug. Finding the call path takes as long as many
    /// executions, so the child does it for few hits, see [`is_looked_at`].
    fn report_way(&mut self, input: &[u8]) {
        let executor = &mut self.executor;
        if let Run::Failed(failed) = panics::with_frames(|| executor.run_bytes(input))
            && self.reported.contains_key(&failed.id)
        {
            self.reports.report(input, &failed);
        }
    }
}

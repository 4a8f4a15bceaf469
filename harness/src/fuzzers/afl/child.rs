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
use crate::session::Sighting;
use crate::system::process;
use crate::target::Target;

/// What runs the target in a child.
pub(super) struct Child {
    executor: InProcess<fn(&mut TestCase)>,
    reports: Reports,
    reported: Reported,
    map: Map,
}

/// What runs the target in a child that has just begun.
pub(super) fn begin(target: &'static Target, server: libc::pid_t) -> InProcess<fn(&mut TestCase)> {
    // Between two inputs a child is stopped. If the fork server is gone then, nobody else ends it.
    process::die_with(server);
    target.initialize();
    process::at_exit(on_exit_of_the_target);
    InProcess::new(target.property(), Scope::Process, target.manifest_dir(), environment::choices_max())
}

/// Whether the target runs.
static RUNS: AtomicBool = AtomicBool::new(false);

/// A target that ends its process fails, whatever its exit code. AFL++ knows failures by their signals.
extern "C" fn on_exit_of_the_target(_code: libc::c_int, _argument: *mut libc::c_void) {
    if RUNS.load(Ordering::Relaxed) {
        std::process::abort();
    }
}

impl Child {
    /// In a child that is about to run its first input.
    pub(super) fn new(target: &'static Target, server: libc::pid_t, reports: Reports) -> Child {
        let map = Map::new();
        // What is done once is not the doing of the input that happens to be the first.
        map.forget();
        let mut executor = begin(target, server);
        executor.tc.tell_scores(scores::tell);
        Child { executor, reports, reported: Reported::new(), map }
    }

    /// One execution. A new panic ends the process, so that AFL++ has it as a crash.
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
            if self.reports.saw(*index).is_some_and(is_looked_at) {
                self.report_way(input);
            }
            return;
        }
        let reported = self.reports.report(input, failed);
        if let Some((index, sighting)) = reported {
            self.reports.saw(index);
            if sighting == Sighting::Known {
                self.reported.insert(failed.id, index);
                return;
            }
        }
        // New; or there is no daemon, and AFL++ keeps what fails, as it would without us.
        std::process::abort()
    }

    /// Tells by which calls a known bug was reached. To find that out takes as long as many executions, so that is done for few of them, see [`is_looked_at`].
    fn report_way(&mut self, input: &[u8]) {
        let executor = &mut self.executor;
        if let Run::Failed(failed) = panics::with_frames(|| executor.run_bytes(input))
            && self.reported.contains_key(&failed.id)
        {
            self.reports.report(input, &failed);
        }
    }
}

//! Runs in this process. Panics are caught, and any worse failure ends the process.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dwindle_engine::TestCase;
use dwindle_engine::internals::shrink::Candidate;
use dwindle_engine::internals::{Driver, Explorer, Outcome, Trace, execute};

use super::{Executor, Line, Run, Runs, TextRoom, Transcript};
use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;
use crate::failure::names::PanicNames;
use crate::failure::panics::{self, Panic, Scope};
use crate::system::forked;

/// Runs one property many times, with one reused driver.
pub(crate) struct InProcess<P> {
    pub(crate) driver: Driver,
    /// Maximum choices of one run.
    pub(crate) choices_max: usize,
    property: P,
    scope: Scope,
    names: PanicNames,
}

impl<P: FnMut(&mut TestCase)> InProcess<P> {
    pub(crate) fn new(
        property: P,
        scope: Scope,
        manifest_dir: impl Into<PathBuf>,
        choices_max: usize,
    ) -> InProcess<P> {
        panics::install();
        forked::mark();
        InProcess {
            driver: Driver::new(),
            choices_max,
            property,
            scope,
            names: PanicNames::new(manifest_dir.into()),
        }
    }

    pub(crate) fn manifest_dir(&self) -> &Path {
        &self.names.manifest_dir
    }

    /// Runs the property on `input` without recording choices. The panics of the whole process
    /// count.
    #[inline]
    pub(crate) fn run_bytes(&mut self, input: &[u8]) -> Run {
        self.driver.start_bytes(input, self.choices_max);
        // A constant scope removes branches. Each taken branch costs libFuzzer hundreds of
        // instructions in every execution.
        self.run_in(Scope::Process)
    }

    /// Runs the property on `input` and records its choices.
    pub(crate) fn run_recorded(&mut self, input: &[u8]) -> Run {
        self.driver.start_bytes_recorded(input, self.choices_max);
        self.run()
    }

    /// Runs the property on the `case`th case of a random run.
    pub(crate) fn run_random(&mut self, explorer: &mut Explorer, case: u64) -> Run {
        explorer.start(&mut self.driver, case, self.choices_max);
        let run = self.run();
        match run {
            Run::Passed => explorer.passed(&self.driver),
            Run::Rejected | Run::Overrun => explorer.rejected(),
            Run::Failed(_) | Run::Misused(_) => {}
        }
        run
    }

    /// Runs the property on typed choices.
    pub(crate) fn run_replay(&mut self, candidate: Candidate<'_>, choices_max: usize) -> Run {
        self.driver.start_candidate(candidate, choices_max);
        self.run()
    }

    fn run(&mut self) -> Run {
        self.run_in(self.scope)
    }

    #[expect(clippy::inline_always, reason = "a scope that is a constant is to stay one")]
    #[inline(always)]
    fn run_in(&mut self, scope: Scope) -> Run {
        scope.watch(true);
        let ended = execute(&mut self.driver, &mut self.property);
        scope.watch(false);
        // One branch for all three conditions: each taken branch costs libFuzzer hundreds of
        // instructions.
        if matches!(ended, Outcome::Passed) & !scope.has_seen() & !forked::is_forked_by_target() {
            return Run::Passed;
        }
        if forked::is_forked_by_target() {
            forked::end(matches!(ended, Outcome::Failed(_)) || scope.has_seen());
        }
        // The hook decides. So a panic counts even if the target caught it. With `Scope::Process`
        // it also counts if it was in another thread.
        match (scope.take(), ended) {
            (Some(panic), _) => self.run_of_panic(panic),
            (None, Outcome::Failed(payload)) => self.run_of_panic(Panic::unseen(&*payload)),
            (None, Outcome::Overrun) => Run::Overrun,
            (None, Outcome::Rejected) => Run::Rejected,
            (None, Outcome::Passed) => Run::Passed,
        }
    }

    #[cold]
    fn run_of_panic(&mut self, panic: Panic) -> Run {
        let manifest_dir = &self.names.manifest_dir;
        if let Some(misuse) = Misuse::of(&panic, manifest_dir) {
            return Run::Misused(misuse);
        }
        let id = self.names.of(&panic, self.driver.current_bug_key());
        let failed = Failed::of_panic(panic, id);
        // In a worker the heap may be damaged, so the parent makes the text of the place later.
        Run::Failed(if self.scope == Scope::Thread { failed.located(manifest_dir) } else { failed })
    }
}

impl<P: FnMut(&mut TestCase)> Executor for InProcess<P> {
    fn run_input(&mut self, input: &[u8], trace: &mut Trace) -> Run {
        let run = self.run_recorded(input);
        self.driver.swap_trace(trace);
        run
    }

    fn run_candidate(
        &mut self,
        candidate: Candidate<'_>,
        choices_max: usize,
        trace: &mut Trace,
    ) -> Run {
        let run = self.run_replay(candidate, choices_max);
        self.driver.swap_trace(trace);
        run
    }

    fn run_with_transcript(&mut self, input: &[u8], trace: &mut Trace) -> (Run, Transcript) {
        let transcript = Arc::new(Mutex::new(Transcript::default()));
        let listener = Arc::clone(&transcript);
        let mut room = TextRoom::new();
        self.driver.listen(Some(Box::new(move |event| {
            let line = Line::of(event, &mut room);
            listener.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        })));
        let run = panics::with_frames(|| self.run_recorded(input));
        self.driver.listen(None);
        self.driver.swap_trace(trace);
        let transcript =
            std::mem::take(&mut *transcript.lock().unwrap_or_else(PoisonError::into_inner));
        (run, transcript)
    }

    fn allow_for(&mut self, _runs: Runs) {}

    fn can_start_afresh(&self) -> bool {
        false
    }

    fn want_frames(&mut self, _wanted: bool) {}

    fn manifest_dir(&self) -> &Path {
        InProcess::manifest_dir(self)
    }

    fn narrow_stack(&mut self, _is_narrow: bool) {}

    fn fails_as_printed(
        &mut self,
        _input: &[u8],
        _failed: &Failed,
        _processes: usize,
    ) -> Option<bool> {
        None
    }

    fn start_afresh(&mut self) {}

    fn time_elsewhere(&self) -> Duration {
        Duration::ZERO
    }
}

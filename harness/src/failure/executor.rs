//! Running the target once, and naming its failure.

use std::path::{Path, PathBuf};

use dwindle_corpus::{BugId, BugKind, Report};
use dwindle_engine::{Ended, Explorer, Halt, TestCase, Value, execute};

use crate::failure::misuse::Misuse;
use crate::failure::names::Names;
use crate::failure::panics::{self, Panic, Place, Scope};
use crate::forked;

/// The version of the rules by which bugs get their ids.
///
/// Version 2: what an allocator notices is known by that alone, and use of freed memory by where it was freed. See [`Failed::old_id`].
pub(crate) const SIGNATURE_VERSION: u32 = 2;

/// Runs one property again and again on one test case.
pub(crate) struct Executor<P> {
    pub(crate) tc: TestCase,
    /// How many choices one run may make.
    pub(crate) choices_max: usize,
    property: P,
    scope: Scope,
    names: Names,
}

/// What one run came to.
#[derive(Debug)]
pub(crate) enum Run {
    Overrun,
    Rejected,
    Passed,
    Failed(Failed),
    /// The target or test uses dwindle wrongly.
    Misused(Misuse),
}

/// A failure, named.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) id: BugId,
    /// Its id by the rules of version 1, where that is another one.
    pub(crate) old_id: Option<BugId>,
    pub(crate) kind: BugKind,
    /// In words. Empty in a process that runs the target for another one: that one makes the words of the place.
    pub(crate) location: String,
    /// Where a panic was.
    pub(crate) place: Place,
    pub(crate) message: String,
    /// Whether it can only come of damaged memory.
    pub(crate) sign_of_damage: SignOfDamage,
    /// Return addresses, innermost first.
    pub(crate) addresses: Vec<usize>,
}

/// What a failure says of the memory of its process, in a build without a sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignOfDamage {
    None,
    /// An allocator found its memory damaged.
    Heap,
    /// A pointer that points nowhere was used.
    Pointer,
}

impl<P: FnMut(&mut TestCase)> Executor<P> {
    pub(crate) fn new(property: P, scope: Scope, manifest_dir: impl Into<PathBuf>, choices_max: usize) -> Executor<P> {
        panics::install();
        forked::mark();
        Executor { tc: TestCase::new(), choices_max, property, scope, names: Names::new(manifest_dir.into()) }
    }

    pub(crate) fn manifest_dir(&self) -> &Path {
        &self.names.manifest_dir
    }

    /// Runs the property on `input`; what it draws is not recorded. The panics of the whole process count.
    #[inline]
    pub(crate) fn run_bytes(&mut self, input: &[u8]) -> Run {
        self.tc.start_bytes(input, self.choices_max);
        // A constant: each branch that is taken costs libFuzzer hundreds of instructions, in every execution.
        self.run_in(Scope::Process)
    }

    /// Runs the property on `input` and records what it draws.
    pub(crate) fn run_recorded(&mut self, input: &[u8]) -> Run {
        self.tc.start_bytes_recorded(input, self.choices_max);
        self.run()
    }

    /// Runs the property on the `case`th case of a random run.
    pub(crate) fn run_random(&mut self, explorer: &mut Explorer, case: u64) -> Run {
        explorer.start(&mut self.tc, case, self.choices_max);
        let run = self.run();
        if matches!(run, Run::Passed) {
            explorer.passed(&self.tc);
        }
        run
    }

    /// Runs the property on typed choices.
    pub(crate) fn run_replay(&mut self, values: &[Value], choices_max: usize) -> Run {
        self.tc.start_replay(values, choices_max);
        self.run()
    }

    fn run(&mut self) -> Run {
        self.run_in(self.scope)
    }

    #[expect(clippy::inline_always, reason = "a scope that is a constant is to stay one")]
    #[inline(always)]
    fn run_in(&mut self, scope: Scope) -> Run {
        scope.watch(true);
        let ended = execute(&mut self.tc, &mut self.property);
        scope.watch(false);
        // One branch for all three: each that is taken costs libFuzzer hundreds of instructions.
        if matches!(ended, Ended::Returned) & !scope.has_seen() & !forked::is_forked_by_target() {
            return Run::Passed;
        }
        if forked::is_forked_by_target() {
            forked::end(matches!(ended, Ended::Panicked(_)) || scope.has_seen());
        }
        // The hook decides, so that a panic counts which the target caught or which another thread had.
        match (scope.take(), ended) {
            (Some(panic), _) => self.failed(panic),
            (None, Ended::Panicked(payload)) => self.failed(Panic::unseen(&*payload)),
            (None, Ended::Halted(Halt::Overrun)) => Run::Overrun,
            (None, Ended::Halted(Halt::Rejected)) => Run::Rejected,
            (None, Ended::Returned) => Run::Passed,
        }
    }

    #[cold]
    fn failed(&mut self, panic: Panic) -> Run {
        let manifest_dir = &self.names.manifest_dir;
        if let Some(misuse) = Misuse::of(&panic, manifest_dir) {
            return Run::Misused(misuse);
        }
        let id = self.names.of(&panic, self.tc.current_bug_key());
        let failed = Failed::of_panic(panic, id);
        // A process that runs the target for another one keeps its hands off the heap.
        Run::Failed(if self.scope == Scope::Thread { failed.located(manifest_dir) } else { failed })
    }
}

impl Failed {
    /// A panic, the place of which is not in words yet.
    pub(crate) fn of_panic(panic: Panic, id: BugId) -> Failed {
        let Panic { message, place, addresses } = panic;
        Failed { id, old_id: None, kind: BugKind::Panic, location: String::new(), place, message, sign_of_damage: SignOfDamage::None, addresses }
    }

    /// The same failure, a panic, with its place in words.
    pub(crate) fn located(self, manifest_dir: &Path) -> Failed {
        Failed { location: self.place.portable(manifest_dir).to_string(), ..self }
    }

    /// Whether this is a failure of a stored bug, also one that was stored under an older id.
    pub(crate) fn is_of(&self, report: &Report) -> bool {
        let ids = [Some(self.id), self.old_id];
        ids.contains(&Some(report.bug_id)) || report.aliases.contains(&self.id)
    }
}

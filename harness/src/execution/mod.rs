//! Running the target. One trait, with an implementation here for this process, and one in
//! `isolation` for worker processes that may die.

#[cfg(feature = "fuzzing")]
mod arguments;
mod in_process;
mod listing;
#[cfg(feature = "fuzzing")]
mod rejections;
mod transcript;

use std::path::Path;
use std::time::Duration;

use dwindle_corpus::BugKind;
use dwindle_engine::internals::shrink::Candidate;
use dwindle_engine::internals::{Outcome, Trace};

#[cfg(feature = "fuzzing")]
pub(crate) use self::arguments::arguments;
pub(crate) use self::in_process::InProcess;
pub(crate) use self::listing::listing;
#[cfg(feature = "fuzzing")]
pub(crate) use self::rejections::Rejections;
#[cfg(feature = "fuzzing")]
pub(crate) use self::transcript::Texts;
pub(crate) use self::transcript::{Line, TextRoom, Transcript};
use crate::failure::failed::Failed;
use crate::failure::misuse::Misuse;

/// How one run ended.
pub(crate) type Run = Outcome<Failed, Misuse>;

/// Runs the target for a minimization.
pub(crate) trait Executor {
    /// Runs the target on `input`. Its draws are in `trace` afterwards, whichever way the run ends.
    fn run_input(&mut self, input: &[u8], trace: &mut Trace) -> Run;

    /// Runs the target on typed choices. `choices_max` is the maximum number of choices.
    fn run_candidate(
        &mut self,
        candidate: Candidate<'_>,
        choices_max: usize,
        trace: &mut Trace,
    ) -> Run;

    /// Whether [`Executor::run_covering`] says which edges a run covers. It does where the compiler
    /// has instrumented the target, and the target runs in a worker.
    fn counts_edges(&self) -> bool {
        false
    }

    /// As [`Executor::run_input`]. Also gives the numbers of the edges that the run covers until
    /// its end or its first panic.
    fn run_covering(&mut self, input: &[u8], trace: &mut Trace) -> (Run, Vec<u32>) {
        (self.run_input(input, trace), Vec::new())
    }

    /// As [`Executor::run_input`]. Also keeps draws and notes as text, and the frames of the
    /// failure.
    fn run_with_transcript(&mut self, input: &[u8], trace: &mut Trace) -> (Run, Transcript);

    /// Sets how much time and memory the runs that follow may take.
    fn allow_for(&mut self, runs: Runs);

    /// Whether [`Executor::start_afresh`] has an effect.
    fn can_start_afresh(&self) -> bool;

    /// Whether to collect the frames of a panic. This takes longer than most runs.
    fn want_frames(&mut self, wanted: bool);

    /// The fuzz crate's folder.
    fn manifest_dir(&self) -> &Path;

    /// Whether the runs that follow have a slightly smaller stack than the printed command, or a
    /// slightly larger one.
    fn narrow_stack(&mut self, is_narrow: bool);

    /// Whether the printed command fails as `failed` does in each of `processes` new processes.
    /// They run at once. The result is `None` if there is no such command, or if a process cannot
    /// be started.
    fn fails_as_printed(&mut self, input: &[u8], failed: &Failed, processes: usize)
    -> Option<bool>;

    /// Makes the next run happen in a process that ran nothing before.
    fn start_afresh(&mut self);

    /// Processor time that the target has used so far outside the calling thread.
    fn time_elsewhere(&self) -> Duration;

    /// Runs an input that has failed before with `kind`. A hang first gets a short time. The result
    /// counts if it is an expected failure. Otherwise the input may hang only after long work, and
    /// it runs again with the full time.
    fn run_again(
        &mut self,
        input: &[u8],
        kind: BugKind,
        is_expected: &dyn Fn(&Failed) -> bool,
        trace: &mut Trace,
    ) -> Run {
        if kind == BugKind::Timeout {
            self.allow_for(Runs::Briefly);
            let run = self.run_input(input, trace);
            if matches!(&run, Run::Failed(failed) if is_expected(failed)) {
                return run;
            }
        }
        self.allow_for(Runs::Again(kind));
        self.run_input(input, trace)
    }

    /// Whether the last run ended the process in which it ran, or was ended with it.
    fn has_lost_worker(&self) -> bool {
        false
    }

    /// How long the target has waited for the processor so far outside the calling thread.
    fn waited_elsewhere(&self) -> Duration {
        Duration::ZERO
    }
}

/// The purpose of runs of the target. It decides how much time and memory they may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Runs of unknown inputs.
    Any,
    /// As [`Runs::Any`], when other inputs are known to hang. A run that hangs like them ends
    /// early.
    BesideHangs,
    /// Runs of many inputs in a row, to find the ones that fail. They skip the search for leaks,
    /// which takes too long.
    Fuzzing,
    /// As [`Runs::Fuzzing`], while a fuzzer waits. A run that takes longer is given up.
    #[cfg_attr(not(any(test, feature = "afl")), expect(dead_code, reason = "only AFL++ waits"))]
    Awaited(Duration),
    /// Runs of an input that has just failed after other inputs, to check whether it fails alone.
    Alone,
    /// As [`Runs::Alone`], but freed memory is not reused.
    AloneWith(Freed),
    /// Runs that check whether a failure of this kind repeats.
    Again(BugKind),
    /// As [`Runs::Again`] for a hang, but only long enough to see where it hangs.
    Briefly,
    /// Candidates for a failure of this kind.
    Candidates(BugKind),
}

/// What happens to memory that the target frees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Freed {
    /// The allocator reuses it.
    #[default]
    UsedAgain,
    /// It stays unchanged.
    Kept,
    /// It stays allocated, and other bytes overwrite its contents.
    Filled,
}

impl Freed {
    /// From the number of a variant. Every other number means [`Freed::UsedAgain`].
    pub(crate) fn from_number(number: u8) -> Freed {
        [Freed::Kept, Freed::Filled]
            .into_iter()
            .find(|freed| *freed as u8 == number)
            .unwrap_or_default()
    }
}

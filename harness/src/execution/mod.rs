//! Running the target: one trait, implemented here for this process and in `isolation` for processes that may die.

mod in_process;
mod listing;
mod run;
mod transcript;

use std::path::Path;
use std::time::Duration;

use dwindle_corpus::BugKind;
use dwindle_engine::{Trace, Value};

pub(crate) use self::in_process::InProcess;
pub(crate) use self::listing::listing;
pub(crate) use self::run::Run;
pub(crate) use self::transcript::{Line, Texts, Transcript};
use crate::failure::failed::Failed;

/// What runs the target for a minimization.
pub(crate) trait Executor {
    /// Runs the target on `input`. What it draws ends up in `trace`, whatever becomes of it.
    fn run_input(&mut self, input: &[u8], trace: &mut Trace) -> Run;

    /// Runs the target on typed choices, of which it may make `choices_max`.
    fn run_choices(&mut self, choices: &[Value], choices_max: usize, trace: &mut Trace) -> Run;

    /// As [`Executor::run_input`], keeping what it draws and notes as text, and the frames of its failure.
    fn run_with_transcript(&mut self, input: &[u8], trace: &mut Trace) -> (Run, Transcript);

    /// How much time and memory the runs that follow may take.
    fn allow_for(&mut self, runs: Runs);

    /// Whether [`Executor::start_afresh`] does anything.
    fn can_start_afresh(&self) -> bool;

    /// Whether the frames of a panic are wanted, which take longer to find than most runs.
    fn want_frames(&mut self, wanted: bool);

    /// The fuzz crate's folder.
    fn manifest_dir(&self) -> &Path;

    /// Whether the runs that follow have a little less of a stack than the command that a report prints, or a little more.
    fn narrow_stack(&mut self, is_narrow: bool);

    /// Whether the command that a report prints fails as `failed` does, in each of so many new processes that run at once. None where there is no such command, or no
    /// process can be started.
    fn fails_as_printed(&mut self, input: &[u8], failed: &Failed, processes: usize) -> Option<bool>;

    /// Has the next run take place in a process in which nothing ran before.
    fn start_afresh(&mut self);

    /// Processor time the target took so far, if not that of the calling thread.
    fn time_elsewhere(&self) -> Duration;

    /// How long the target has waited for the processor so far, if not in the calling thread.
    fn waited_elsewhere(&self) -> Duration {
        Duration::ZERO
    }
}

/// What runs of the target are for. So much time and memory they may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Of inputs of which nothing is known.
    Any,
    /// The same beside others that are known to hang: one that hangs as they do need not take all its time.
    BesideHangs,
    /// Of one after the other, to see which of them fail: leaks would take too long to look for.
    Fuzzing,
    /// Of an input that has just failed beside others, to see whether it does so alone.
    Alone,
    /// The same, where freed memory is not used again.
    AloneWith(Freed),
    /// To see whether a failure of this kind shows itself again.
    Again(BugKind),
    /// Candidates for a failure of this kind.
    Candidates(BugKind),
}

/// What becomes of memory that the target frees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Freed {
    /// The allocator gives it out again.
    #[default]
    UsedAgain,
    /// It stays as it is.
    Kept,
    /// It stays, and other bytes stand in it.
    Filled,
}

impl Freed {
    /// From the number of a variant; any other number is as usual.
    pub(crate) fn from_number(number: u8) -> Freed {
        [Freed::Kept, Freed::Filled].into_iter().find(|freed| *freed as u8 == number).unwrap_or_default()
    }
}

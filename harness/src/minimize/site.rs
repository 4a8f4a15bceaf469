//! Where the target runs: in this process, or in one that may die of it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dwindle_corpus::{BugId, BugKind, Rate};
use dwindle_engine::shrink::Runner;
use dwindle_engine::{Origin, Outcome, Said, TestCase, Trace, Value};

use crate::failure::executor::{Executor, Failed, Run};
use crate::failure::panics;
use crate::failure::variants::Variants;
use crate::minimize::clock::Clock;
use crate::minimize::listing;
use crate::minimize::reliability::{self, Repeats};
use crate::session::showing::Room;

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

/// What runs the target for a minimization.
pub(crate) trait Site {
    /// Runs the target on `input`. What it draws ends up in `trace`, whatever becomes of it.
    fn run_input(&mut self, input: &[u8], trace: &mut Trace) -> Run;

    /// Runs the target on typed choices, of which it may make `choices_max`.
    fn run_choices(&mut self, choices: &[Value], choices_max: usize, trace: &mut Trace) -> Run;

    /// As [`Site::run_input`], keeping what it draws and notes as text, and the frames of its failure.
    fn run_told(&mut self, input: &[u8], trace: &mut Trace) -> (Run, Told);

    /// How much time and memory the runs that follow may take.
    fn allow_for(&mut self, runs: Runs);

    /// Whether [`Site::start_afresh`] does anything.
    fn can_start_afresh(&self) -> bool;

    /// Whether the frames of a panic are wanted, which take longer to find than most runs.
    fn want_frames(&mut self, wanted: bool);

    /// The fuzz crate's folder.
    fn manifest_dir(&self) -> &Path;

    /// Whether the runs that follow have a little less of a stack than the command that a report prints, or a little more.
    fn narrow_stack(&mut self, is_narrow: bool);

    /// Whether the command that a report prints fails as `failed` does, in a new process. None where there is no such command, or no process can be started.
    fn fails_as_printed(&mut self, input: &[u8], failed: &Failed) -> Option<bool>;

    /// Has the next run take place in a process in which nothing ran before.
    fn start_afresh(&mut self);

    /// Processor time the target took so far, if not that of the calling thread.
    fn time_elsewhere(&self) -> Duration;

    /// How long the target has waited for the processor so far, if not in the calling thread.
    fn waited_elsewhere(&self) -> Duration {
        Duration::ZERO
    }
}

/// What a run said of itself, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(pub(crate) Vec<Line>);

/// One thing that a run said.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// `Debug` of a value that was drawn.
    Draw(String),
    Note(String),
    /// The name of the draw behind it.
    Name(String),
    /// The draw behind it is a line of a program.
    AsItStands,
}

impl Told {
    /// Has the draw of this number, counted from 0, read as `text`.
    pub(crate) fn complete(&mut self, number: usize, text: String) {
        let mut draws = self.0.iter_mut().filter_map(|line| if let Line::Draw(draw) = line { Some(draw) } else { None });
        if let Some(draw) = draws.nth(number) {
            *draw = text;
        }
    }

    pub(crate) fn draws(&self) -> Vec<String> {
        self.0.iter().filter_map(|line| if let Line::Draw(draw) = line { Some(draw.clone()) } else { None }).collect()
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.0.iter().filter_map(|line| if let Line::Note(note) = line { Some(note.clone()) } else { None }).collect()
    }

    /// Whether any draw has a name.
    pub(crate) fn has_names(&self) -> bool {
        self.0.iter().any(|line| matches!(line, Line::Name(_)))
    }

    /// All of it as lines of Rust, see [`Failure::listing`](crate::Failure::listing).
    pub(crate) fn listing(&self) -> Vec<String> {
        listing::of(&self.0)
    }
}

/// In this process: panics are caught, anything worse ends it.
impl<P: FnMut(&mut TestCase)> Site for Executor<P> {
    fn run_input(&mut self, input: &[u8], trace: &mut Trace) -> Run {
        let run = self.run_recorded(input);
        self.tc.swap_trace(trace);
        run
    }

    fn run_choices(&mut self, choices: &[Value], choices_max: usize, trace: &mut Trace) -> Run {
        let run = self.run_replay(choices, choices_max);
        self.tc.swap_trace(trace);
        run
    }

    fn run_told(&mut self, input: &[u8], trace: &mut Trace) -> (Run, Told) {
        let told = Arc::new(Mutex::new(Told::default()));
        let listener = Arc::clone(&told);
        let mut room = Room::new();
        self.tc.listen(Some(Box::new(move |said| {
            let mut told = listener.lock().unwrap_or_else(PoisonError::into_inner);
            match said {
                Said::Draw(value) => told.0.push(Line::Draw(room.value(value))),
                Said::Note(note) => told.0.push(Line::Note(room.note(note))),
                Said::Name(name) => told.0.push(Line::Name(name.to_owned())),
                Said::Line => told.0.push(Line::AsItStands),
                Said::Completed(draw, value) => told.complete(draw, room.value(value)),
            }
        })));
        let run = panics::with_frames(|| self.run_recorded(input));
        self.tc.listen(None);
        self.tc.swap_trace(trace);
        let told = std::mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
        (run, told)
    }

    fn allow_for(&mut self, _runs: Runs) {}

    fn can_start_afresh(&self) -> bool {
        false
    }

    fn want_frames(&mut self, _wanted: bool) {}

    fn manifest_dir(&self) -> &Path {
        Executor::manifest_dir(self)
    }

    fn narrow_stack(&mut self, _is_narrow: bool) {}

    fn fails_as_printed(&mut self, _input: &[u8], _failed: &Failed) -> Option<bool> {
        None
    }

    fn start_afresh(&mut self) {}

    fn time_elsewhere(&self) -> Duration {
        Duration::ZERO
    }
}

/// The candidates of a shrink, run at a site. Bugs become the origins that the shrinker knows.
pub(crate) struct Candidates<'a, S> {
    site: &'a mut S,
    /// The bugs met so far; an origin is an index into them.
    bugs: Vec<BugId>,
    /// The way to the failure that has to stay, and how ways are told apart.
    variant: Option<(&'a str, Variants)>,
    /// How the failure that is shrunk shows itself again.
    repeats: Repeats,
    clock: &'a Clock,
}

impl<'a, S: Site> Candidates<'a, S> {
    /// What stands for the bug that is shrunk.
    pub(crate) const ORIGIN: Origin = Origin(0);

    /// Candidates for the failure of the bug `id`, which is the first origin; reached in the way of a variant, if one is given.
    pub(crate) fn new(site: &'a mut S, (id, variant): (BugId, Option<&'a str>), repeats: Repeats, clock: &'a Clock) -> Candidates<'a, S> {
        let variant = variant.map(|key| (key, Variants::new(site.manifest_dir())));
        Candidates { site, bugs: vec![id], variant, repeats, clock }
    }

    fn run_once(&mut self, candidate: &[Value], choices_max: usize, trace: &mut Trace) -> Run {
        if self.repeats == Repeats::WhenFresh {
            self.site.start_afresh();
        }
        let run = self.site.run_choices(candidate, choices_max, trace);
        self.clock.look(|| self.site.time_elsewhere(), || self.site.waited_elsewhere());
        run
    }

    /// A run of many: one that fails if enough of them do.
    fn run_often(&mut self, rate: Rate, candidate: &[Value], choices_max: usize, trace: &mut Trace) -> Run {
        let id = self.bugs[0];
        let mut failed = None;
        let mut last = Run::Passed;
        let mut failing = Trace::default();
        let is_reliable = reliability::fails_as_often(rate, || {
            let run = self.run_once(candidate, choices_max, trace);
            let is_failure = matches!(&run, Run::Failed(failed) if failed.id == id);
            if is_failure {
                std::mem::swap(trace, &mut failing);
                failed = Some(run);
            } else {
                last = run;
            }
            is_failure
        });
        match failed {
            Some(run) if is_reliable => {
                std::mem::swap(trace, &mut failing);
                run
            }
            _ => last,
        }
    }

    /// Whether it is the failure that is shrunk, reached in another way than the one that has to stay.
    fn is_another_way(&mut self, failed: &Failed) -> bool {
        let id = self.bugs[0];
        self.variant.as_mut().is_some_and(|(key, variants)| failed.id == id && variants.key(failed).is_none_or(|other| other != *key))
    }

    /// The number that stands for a bug.
    fn origin(&mut self, id: BugId) -> Origin {
        let index = self.bugs.iter().position(|known| *known == id).unwrap_or_else(|| {
            self.bugs.push(id);
            self.bugs.len() - 1
        });
        Origin(index as u64)
    }
}

impl<S: Site> Runner for Candidates<'_, S> {
    fn run(&mut self, candidate: &[Value], choices_max: usize, trace: &mut Trace) -> Outcome {
        let run = match self.repeats {
            Repeats::Sometimes(rate) => self.run_often(rate, candidate, choices_max, trace),
            Repeats::Always | Repeats::WhenFresh => self.run_once(candidate, choices_max, trace),
        };
        match run {
            Run::Overrun => Outcome::Overrun,
            Run::Rejected | Run::Misused(_) => Outcome::Rejected,
            Run::Passed => Outcome::Passed,
            Run::Failed(failed) if self.is_another_way(&failed) => Outcome::Passed,
            // What it drew is not known, so neither is whether that is smaller. A pass without choices would say that nothing is drawn behind them.
            Run::Failed(_) if trace.is_empty() && !candidate.is_empty() => Outcome::Overrun,
            Run::Failed(failed) => Outcome::Failed(self.origin(failed.id)),
        }
    }
}

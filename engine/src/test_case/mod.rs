//! The test case, from which generators and targets draw.

mod draw;
mod spans;
mod alternatives;
mod repeat;
mod path;
mod late;
mod steps;
mod target;
mod follow;
mod driver;

use std::fmt::Debug;
use std::panic::{Location, resume_unwind};

use crate::codec::ByteReader;
use crate::outcome::{Halt, Rejection};
use crate::random::Random;
use crate::replay::Replay;
use crate::trace::{Label, Trace};

pub use alternatives::Alternatives;
pub use driver::Driver;
pub use follow::Follower;
pub(crate) use late::Late;
pub use repeat::Repeat;
pub use target::{Score, Scorer};

/// Default limit of choices in one execution.
pub const CHOICES_MAX: usize = 65_536;

/// One execution of a target: targets and generators draw from it.
///
/// A generator of your own is a function of a test case ([`from_fn`](crate::generators::from_fn)),
/// or a type with [`Generator`](crate::Generator). Nearly every generator only draws from others.
/// The methods for alternatives, collections, spans and depth are for those that do more.
#[derive(Debug)]
pub struct TestCase {
    /// Whether the execution reads bytes and records nothing. Nearly every execution of a fuzzer
    /// takes this path.
    decode_only: bool,
    source: Source,
    reader: ByteReader,
    replay: Replay,
    random: Random,
    /// How many more choices the execution may make. 0 after the execution was stopped.
    left: usize,
    /// How many draws the current draw is nested in.
    nesting: usize,
    /// How many values of recursive types the current draw is nested in.
    depth: usize,
    /// For each type with its own depth limit: how many values of it surround the current draw.
    nested: Vec<(Label, usize)>,
    /// Whether a step of a state machine is running. Its draws are shown as part of the step.
    in_step: bool,
    halt: Option<Halt>,
    /// The reason for the rejection, if the test case was rejected.
    rejection: Option<Rejection>,
    trace: Trace,
    listener: Option<Listener>,
    follower: Option<follow::Following>,
    later: late::ShownLater,
    bug_key: String,
    scorer: Option<Scorer>,
    /// The scores of a random execution.
    scores: Vec<Score>,
}

/// Where choices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Bytes,
    Replay,
    Random,
}

/// Receives the events of the transcript.
struct Listener(Hear);

type Hear = Box<dyn FnMut(TranscriptEvent<'_>) + Send>;

impl Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Listener")
    }
}

/// One event of the transcript. Events arrive in the order in which they happen.
#[derive(Clone, Copy)]
pub enum TranscriptEvent<'a> {
    /// The name of the next draw.
    Name(&'static str),
    /// The next draw is a line of a program and is shown verbatim. It is a step of a state machine,
    /// or a value that a step drew.
    Line,
    /// A draw of the target itself. Draws inside a generator are left out.
    Draw(&'a dyn Debug),
    /// A note of the target.
    Note(&'a str),
    /// The final text of the draw with this number, counted from 0. A function shows the arguments
    /// it was called with. These events come after all others.
    Completed(usize, &'a dyn Debug),
}

/// Depth of recursive values from which generators draw only alternatives that end the recursion.
pub const DEPTH_MAX: usize = 32;

/// Depth of recursive values at which the test case is rejected. This stops recursions without
/// known leaves before the stack overflows.
pub const DEPTH_HARD: usize = 4 * DEPTH_MAX;

impl TestCase {
    /// Continues if `condition` holds; otherwise rejects the test case.
    #[inline]
    pub fn assume(&mut self, condition: bool) {
        if !condition {
            self.reject();
        }
    }

    /// Ends this execution, because the target does not want this test case. The result is neither
    /// a pass nor a failure.
    pub fn reject(&mut self) -> ! {
        self.reject_because(Rejection::Target)
    }

    /// Ends this execution as [`reject`](TestCase::reject) does, and records the reason.
    #[cold]
    pub(crate) fn reject_because(&mut self, rejection: Rejection) -> ! {
        if self.halt.is_none() {
            self.rejection = Some(rejection);
        }
        self.stop(Halt::Rejected)
    }

    /// Marks the test case as rejected and returns, so that the target can return by itself.
    /// Unwinding takes longer than many executions.
    #[doc(hidden)]
    pub fn decline(&mut self) {
        if self.halt.is_none() {
            (self.halt, self.rejection) = (Some(Halt::Rejected), Some(Rejection::Target));
        }
    }

    /// Shows a value in the report of a failure, as if the target had drawn it.
    #[doc(hidden)]
    pub fn show(&mut self, value: &dyn Debug) {
        if self.is_shown() {
            self.say_drawn(None, value);
        }
    }

    /// Whether a listener receives draws and notes. Without one, callers need not format them.
    #[doc(hidden)]
    pub fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    /// Shows a line between the draws in the report of a failure.
    pub fn note(&mut self, note: impl AsRef<str>) {
        if self.listener.is_some() {
            self.say(TranscriptEvent::Note(note.as_ref()));
        }
    }

    /// Sets a key that distinguishes failures of this execution from others with the same panic
    /// location. The last key before the failure counts.
    pub fn bug_key(&mut self, words: impl AsRef<str>) {
        self.bug_key.clear();
        self.bug_key.push_str(words.as_ref());
        if let Some(follower) = &mut self.follower {
            follower.keyed(&self.bug_key);
        }
    }

    /// Whether the execution records nothing. Then it needs neither spans nor the depth of a draw.
    #[inline]
    pub(crate) fn is_unrecorded(&self) -> bool {
        self.decode_only
    }

    /// Whether the current draw is sent to a listener. Only draws of the target itself are, not
    /// those inside a generator.
    #[inline]
    pub(crate) fn is_shown(&self) -> bool {
        self.nesting == 0 && self.listener.is_some()
    }

    /// Opens the span of a draw. For recorded executions only.
    #[inline]
    #[track_caller]
    pub(crate) fn begin_draw(&mut self) {
        self.open(Label::of_draw(Location::caller()), self.trace.len());
        self.nesting += 1;
    }

    /// Closes the span of a draw.
    #[inline]
    pub(crate) fn end_draw(&mut self) {
        self.nesting -= 1;
        self.close(false);
    }

    /// Counts one choice against the limit.
    #[inline]
    fn spend(&mut self) {
        if self.left == 0 {
            self.refuse();
        }
        self.left -= 1;
    }

    #[cold]
    fn refuse(&mut self) -> ! {
        self.stop(Halt::Overrun)
    }

    #[cold]
    fn stop(&mut self, halt: Halt) -> ! {
        // The first reason counts, even if the target catches the unwinding and stops again.
        let halt = *self.halt.get_or_insert(halt);
        self.left = 0;
        // `resume_unwind` skips the panic hook, because stopping is not an error.
        resume_unwind(Box::new(halt))
    }

    /// Shows a line of a program as a draw, unless a generator runs the program.
    #[cold]
    pub(crate) fn say_line(&mut self, line: &str) {
        if self.nesting == 0 {
            self.say(TranscriptEvent::Line);
            self.say_draw(&format_args!("{line}"));
        }
    }

    /// Marks the begin or the end of a step. An unrecorded execution shows no draws, so it skips
    /// the mark.
    #[inline]
    pub(crate) fn set_in_step(&mut self, in_step: bool) {
        self.in_step = in_step && !self.decode_only;
    }

    /// Shows a draw of the target itself. A draw inside a step is shown as part of the step.
    #[cold]
    pub(crate) fn say_drawn(&mut self, name: Option<&'static str>, value: &dyn Debug) {
        if self.in_step {
            self.say(TranscriptEvent::Line);
            self.say_draw(&format_args!(
                "    // {}{value:?}",
                name.map_or_else(|| "drew ".to_owned(), |name| format!("{name} = "))
            ));
            return;
        }
        if let Some(name) = name {
            self.say(TranscriptEvent::Name(name));
        }
        self.say_draw(value);
    }

    #[cold]
    fn say(&mut self, said: TranscriptEvent<'_>) {
        if let Some(Listener(listener)) = &mut self.listener {
            listener(said);
        }
    }
}

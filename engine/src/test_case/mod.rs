//! What a generator and a target draw from.

mod draw;
mod spans;
mod alternatives;
mod repeat;
mod path;
mod late;
mod steps;
mod target;
mod follow;

use std::fmt::Debug;
use std::panic::resume_unwind;

use crate::choice::Value;
use crate::codec::ByteReader;
use crate::outcome::{Halt, Rejection};
use crate::random::Random;
use crate::replay::Replay;
use crate::trace::{Label, Trace};

pub use alternatives::Alternatives;
pub use follow::Follower;
pub(crate) use late::Late;
pub use repeat::Repeat;
pub use target::{Score, Scorer};

/// How many choices one execution may make unless told otherwise.
pub const CHOICES_MAX: usize = 65_536;

/// One execution of a target: a source of choices and a record of what was drawn.
///
/// A test case is made once and started anew for each execution, so that its buffers are reused; reading from bytes without a record allocates nothing.
#[derive(Debug, Default)]
pub struct TestCase {
    /// Bytes are read and nothing is recorded: the path a fuzzer takes for nearly every execution.
    decode_only: bool,
    source: Source,
    reader: ByteReader,
    replay: Replay,
    random: Random,
    /// How many choices may still be made; none once the execution was stopped.
    left: usize,
    /// How many generators deep the current draw is.
    nesting: usize,
    /// How many values of recursive types deep the current draw is.
    depth: usize,
    /// How many values of each type whose recursion has its own limit the current draw is in.
    nested: Vec<(Label, usize)>,
    /// Whether a step of a state machine is being taken: what it draws is told as a part of it.
    in_step: bool,
    halt: Option<Halt>,
    /// Who rejected this test case, if it was rejected.
    rejection: Option<Rejection>,
    trace: Trace,
    listener: Option<Listener>,
    follower: Option<follow::Following>,
    later: late::ToldLater,
    bug_key: String,
    scorer: Option<Scorer>,
    /// Of a random execution.
    scores: Vec<Score>,
}

/// Where choices come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Source {
    #[default]
    Bytes,
    Replay,
    Random,
}

/// What is told of draws and notes.
struct Listener(Hear);

type Hear = Box<dyn FnMut(TranscriptEvent<'_>) + Send>;

impl Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Listener")
    }
}

/// Something a listener is told, in the order it happened.
#[derive(Clone, Copy)]
pub enum TranscriptEvent<'a> {
    /// The name of the draw that is told of next.
    Name(&'static str),
    /// The draw that is told of next is a line of a program, as it stands: a step of a state machine, or what was drawn in one.
    Line,
    /// A draw of the target itself, not one inside a generator.
    Draw(&'a dyn Debug),
    /// A note of the target.
    Note(&'a str),
    /// The draw of this number, counted from 0, as it shows itself now that the run is over: functions show what they were asked. Told behind all else.
    Completed(usize, &'a dyn Debug),
}

/// The least depth of values of recursive types at which only alternatives that end the recursion are left.
pub const DEPTH_MAX: usize = 32;

/// How many values deep a test case is rejected: recursions without known leaves end here, before the stack overflows.
pub const DEPTH_HARD: usize = 4 * DEPTH_MAX;

impl TestCase {
    /// A test case that reads as the empty input until it is started.
    pub fn new() -> TestCase {
        TestCase { left: CHOICES_MAX, ..TestCase::default() }
    }

    /// Starts an execution that reads `input` and records nothing.
    #[inline]
    pub fn start_bytes(&mut self, input: &[u8], choices_max: usize) {
        self.start(Source::Bytes, choices_max);
        self.decode_only = self.listener.is_none();
        self.reader.load(input);
    }

    /// Starts an execution that reads `input` and records what it draws.
    pub fn start_bytes_recorded(&mut self, input: &[u8], choices_max: usize) {
        self.start(Source::Bytes, choices_max);
        self.begin_following();
        self.reader.load(input);
    }

    /// Starts an execution that draws `values`, each made to fit, and past their end the simplest values.
    pub fn start_replay(&mut self, values: &[Value], choices_max: usize) {
        self.start(Source::Replay, choices_max);
        self.begin_following();
        self.replay.load(values);
    }

    /// Starts an execution that draws at random.
    pub fn start_random(&mut self, seed: u64, choices_max: usize) {
        self.start(Source::Random, choices_max);
        self.begin_following();
        self.random = Random::new(seed, seed);
        self.scores.clear();
    }

    /// Starts an execution that draws `values`, as far as they fit, and at random past their end.
    pub fn start_mutant(&mut self, values: Vec<Value>, seed: u64, choices_max: usize) {
        self.start_random(seed, choices_max);
        self.random.follow(values);
    }

    #[inline]
    fn start(&mut self, source: Source, choices_max: usize) {
        if !self.decode_only {
            self.trace.clear();
            self.forget_later();
            self.in_step = false;
            self.nesting = 0;
        }
        self.decode_only = false;
        self.source = source;
        self.left = choices_max;
        self.depth = 0;
        self.nested.clear();
        self.halt = None;
        self.bug_key.clear();
    }

    /// Ends the execution: closes spans that unwinding left open, and tells why it was stopped from inside, if it was, even if the target caught the unwinding.
    #[inline]
    pub fn finish(&mut self) -> Option<Halt> {
        if !self.decode_only {
            self.close_all();
            if self.is_later_due() {
                self.say_later();
            }
        }
        self.halt
    }

    /// Who rejected this execution, and what to do about it; none if it was not rejected.
    pub fn rejection(&self) -> Option<Rejection> {
        self.rejection.filter(|_| self.halt == Some(Halt::Rejected))
    }

    /// What was recorded since the last start.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Exchanges the record with `trace`, so that it can be kept without a copy.
    pub fn swap_trace(&mut self, trace: &mut Trace) {
        std::mem::swap(&mut self.trace, trace);
    }

    /// How many bytes of the input were read, for an execution that read bytes.
    pub fn bytes_consumed(&self) -> usize {
        self.reader.consumed()
    }

    /// Tells `listener` of every draw and note from the next start on, `None` to stop.
    pub fn listen(&mut self, listener: Option<Hear>) {
        self.listener = listener.map(Listener);
    }

    /// The words given to [`bug_key`](TestCase::bug_key) last; empty if none were.
    pub fn current_bug_key(&self) -> &str {
        &self.bug_key
    }

    // What targets use.

    /// Goes on only if `condition` holds; else the test case is rejected.
    #[inline]
    pub fn assume(&mut self, condition: bool) {
        if !condition {
            self.reject();
        }
    }

    /// Ends this execution: the test case is not one the target wants. Neither a pass nor a failure.
    pub fn reject(&mut self) -> ! {
        self.reject_because(Rejection::Target)
    }

    /// Ends this execution as [`reject`](TestCase::reject) does, and says why.
    #[cold]
    pub fn reject_because(&mut self, rejection: Rejection) -> ! {
        if self.halt.is_none() {
            self.rejection = Some(rejection);
        }
        self.stop(Halt::Rejected)
    }

    /// Says that the test case is not one the target wants, and returns: for a target that then does so itself. Unwinding costs more than many an execution.
    pub fn decline(&mut self) {
        if self.halt.is_none() {
            (self.halt, self.rejection) = (Some(Halt::Rejected), Some(Rejection::Target));
        }
    }

    /// Shows a value in the report of a failure, as if it had been drawn.
    pub fn show(&mut self, value: &dyn Debug) {
        if self.is_shown() {
            self.say_drawn(None, value);
        }
    }

    /// Whether anybody is told of draws and notes: without a listener they need not be put into words.
    pub fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    /// Shows a line in the report of a failure, between the draws.
    pub fn note(&mut self, note: impl AsRef<str>) {
        if self.listener.is_some() {
            self.say(TranscriptEvent::Note(note.as_ref()));
        }
    }

    /// Sets words that tell failures of this execution from others with the same panic location. The last words given before the failure count.
    pub fn bug_key(&mut self, words: impl AsRef<str>) {
        self.bug_key.clear();
        self.bug_key.push_str(words.as_ref());
        if let Some(follower) = &mut self.follower {
            follower.keyed(&self.bug_key);
        }
    }

    /// Whether nothing is recorded: then spans are not needed, nor how deep a draw is.
    #[inline]
    pub(crate) fn is_unrecorded(&self) -> bool {
        self.decode_only
    }

    /// Whether a listener gets the draw that is made now: a draw of the target itself, not one inside a generator.
    #[inline]
    pub(crate) fn is_shown(&self) -> bool {
        self.nesting == 0 && self.listener.is_some()
    }

    /// Opens the span of a draw. Only where draws are recorded.
    #[inline]
    pub(crate) fn begin_draw(&mut self) {
        self.open(Label::DRAW, self.trace.len());
        self.nesting += 1;
    }

    /// Closes the span of a draw.
    #[inline]
    pub(crate) fn end_draw(&mut self) {
        self.nesting -= 1;
        self.close(false);
    }

    /// Takes one choice off what is left.
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
        // The first reason counts, whatever a target that caught the unwinding does then.
        let halt = *self.halt.get_or_insert(halt);
        self.left = 0;
        // Past the panic hook: stopping is not an error.
        resume_unwind(Box::new(halt))
    }

    /// Shows a line of a program in the place of a draw, unless a generator runs it.
    #[cold]
    pub(crate) fn say_line(&mut self, line: &str) {
        if self.nesting == 0 {
            self.say(TranscriptEvent::Line);
            self.say_draw(&format_args!("{line}"));
        }
    }

    /// Says that a step begins or ends. Without a record, no listener gets draws.
    #[inline]
    pub(crate) fn set_in_step(&mut self, in_step: bool) {
        self.in_step = in_step && !self.decode_only;
    }

    /// Tells of a draw of the target itself; of one in a step as a part of it.
    #[cold]
    pub(crate) fn say_drawn(&mut self, name: Option<&'static str>, value: &dyn Debug) {
        if self.in_step {
            self.say(TranscriptEvent::Line);
            self.say_draw(&format_args!("    // {}{value:?}", name.map_or_else(|| "drew ".to_owned(), |name| format!("{name} = "))));
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

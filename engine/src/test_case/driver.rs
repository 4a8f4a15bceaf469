//! Drives a test case: starts its executions, ends them and reads what they recorded.

use std::ops::{Deref, DerefMut};

use super::{CHOICES_MAX, Hear, Listener, Source, TestCase, late};
use crate::choice::Value;
use crate::codec::ByteReader;
use crate::outcome::{Halt, Rejection};
use crate::random::{ProfileSeeds, Random};
use crate::replay::{Candidate, Replay};
use crate::trace::Trace;

/// A test case, with the methods that start and end its executions.
///
/// A target gets the [`TestCase`] and can only draw from it. Code that runs targets has the driver:
/// the harness, the shrinker and tests.
///
/// Create a driver once and start it anew for each execution: this reuses its buffers. Reading from
/// bytes without a record allocates no memory.
#[derive(Debug)]
pub struct Driver(pub(super) TestCase);

impl Driver {
    /// Creates a test case that reads the empty input until it is started.
    pub fn new() -> Driver {
        Driver(TestCase {
            decode_only: false,
            source: Source::Bytes,
            reader: ByteReader::default(),
            replay: Replay::default(),
            random: Random::default(),
            left: CHOICES_MAX,
            nesting: 0,
            depth: 0,
            nested: Vec::new(),
            in_step: false,
            halt: None,
            rejection: None,
            trace: Trace::default(),
            listener: None,
            follower: None,
            later: late::ShownLater::default(),
            bug_key: String::new(),
            scorer: None,
            scores: Vec::new(),
        })
    }

    /// Starts an execution that reads `input` and records nothing.
    #[inline]
    pub fn start_bytes(&mut self, input: &[u8], choices_max: usize) {
        self.start(Source::Bytes, choices_max);
        self.0.decode_only = self.0.listener.is_none();
        self.0.reader.load(input);
    }

    /// Starts an execution that reads `input` and records its choices.
    pub fn start_bytes_recorded(&mut self, input: &[u8], choices_max: usize) {
        self.start(Source::Bytes, choices_max);
        self.0.begin_following();
        self.0.reader.load(input);
    }

    /// Starts an execution that replays `values`. Each value is adapted to its constraint. After
    /// the last one, the test case draws the simplest values.
    pub fn start_replay(&mut self, values: &[Value], choices_max: usize) {
        self.start(Source::Replay, choices_max);
        self.0.begin_following();
        self.0.replay.load(values);
    }

    /// Starts an execution of a candidate of the shrinker.
    pub fn start_candidate(&mut self, candidate: Candidate<'_>, choices_max: usize) {
        match candidate.seed {
            None => self.start_replay(candidate.values, choices_max),
            Some(seed) => self.start_mutant(candidate.values.to_vec(), seed, choices_max),
        }
    }

    /// Starts an execution that draws at random.
    pub fn start_random(&mut self, seed: u64, choices_max: usize) {
        self.start(Source::Random, choices_max);
        self.0.begin_following();
        self.0.random = Random::new(seed);
        self.0.scores.clear();
    }

    /// Starts an execution that first draws `values` and then draws at random. Each value is
    /// adapted to its constraint; a value of another kind is replaced by a random one.
    pub fn start_mutant(&mut self, values: Vec<Value>, seed: u64, choices_max: usize) {
        self.start_under(ProfileSeeds::new(seed), values, seed, choices_max);
    }

    /// Does the same, and draws at random under a sampling profile.
    pub(crate) fn start_under(
        &mut self,
        profile: ProfileSeeds,
        values: Vec<Value>,
        seed: u64,
        choices_max: usize,
    ) {
        self.start(Source::Random, choices_max);
        self.0.begin_following();
        self.0.random = Random::under(profile, seed);
        self.0.random.follow(values);
        self.0.scores.clear();
    }

    #[inline]
    fn start(&mut self, source: Source, choices_max: usize) {
        let tc = &mut self.0;
        if !tc.decode_only {
            tc.trace.clear();
            tc.forget_later();
            tc.in_step = false;
            tc.nesting = 0;
        }
        tc.decode_only = false;
        tc.source = source;
        tc.left = choices_max;
        tc.depth = 0;
        tc.nested.clear();
        tc.halt = None;
        tc.bug_key.clear();
    }

    /// Ends the execution and closes the spans that unwinding left open.
    ///
    /// Returns why the test case stopped the execution, or `None` if it did not. The reason is kept
    /// even if the target caught the unwinding.
    #[inline]
    pub fn finish(&mut self) -> Option<Halt> {
        let tc = &mut self.0;
        if !tc.decode_only {
            tc.close_all();
            if tc.is_later_due() {
                tc.say_later();
            }
        }
        tc.halt
    }

    /// The reason for the rejection and its remedy, or `None` if the execution was not rejected.
    pub fn rejection(&self) -> Option<Rejection> {
        self.0.rejection.filter(|_| self.0.halt == Some(Halt::Rejected))
    }

    /// The record since the last start.
    pub fn trace(&self) -> &Trace {
        &self.0.trace
    }

    /// The record of `tc` so far, for a target that measures its own draws.
    pub fn trace_of(tc: &TestCase) -> &Trace {
        &tc.trace
    }

    /// Exchanges the record with `trace`. The caller keeps the record without a copy.
    pub fn swap_trace(&mut self, trace: &mut Trace) {
        std::mem::swap(&mut self.0.trace, trace);
    }

    /// How many bytes the execution read, if its source is bytes.
    pub fn bytes_consumed(&self) -> usize {
        self.0.reader.consumed()
    }

    /// Sends every draw and note to `listener` from the next start on. `None` stops this.
    pub fn listen(&mut self, listener: Option<Hear>) {
        self.0.listener = listener.map(Listener);
    }

    /// The key that the last call of [`bug_key`](TestCase::bug_key) set. Empty if none did.
    pub fn current_bug_key(&self) -> &str {
        &self.0.bug_key
    }
}

impl Default for Driver {
    fn default() -> Driver {
        Driver::new()
    }
}

impl Deref for Driver {
    type Target = TestCase;

    #[inline]
    fn deref(&self) -> &TestCase {
        &self.0
    }
}

impl DerefMut for Driver {
    #[inline]
    fn deref_mut(&mut self) -> &mut TestCase {
        &mut self.0
    }
}

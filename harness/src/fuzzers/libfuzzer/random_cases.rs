//! Random cases at the start of a run.
//!
//! A new run has an empty corpus, so there is little to mutate. A random case is a whole value at
//! once, with the sizes and the repeated values that often fail. So every second execution runs a
//! random case in place of libFuzzer's input, until there were [`CASES`]. Each counts as one of
//! libFuzzer's executions, and libFuzzer's time limit holds for it. libFuzzer does not look at its
//! coverage. The switch is `random-cases`. `choice_mutations.rs` plans the cases, so without its
//! switch there are none either.
//!
//! Measured: to add cases with new coverage to the corpus finds first bugs no sooner. Their
//! mutants are long.
//!
//! The supervisor gets each choice as bytes, so it has the input of a case that kills the fuzzer.
//! If libFuzzer has written its own input as the one that failed, the supervisor writes that of
//! the case in its place (`supervisor/deaths.rs`).

use dwindle_engine::TestCase;
use dwindle_engine::internals::choice::Choice;
use dwindle_engine::internals::codec::encode_choice;
use dwindle_engine::internals::{Explorer, Follower};

use super::link::Link;
use crate::execution::{InProcess, Run};
use crate::isolation::death;
use crate::isolation::drawn::Keys;
use crate::switches::Switch;

/// How many cases a fuzzer runs.
const CASES: u32 = 128;

/// What the fuzzer knows of random cases.
pub(super) struct RandomCases {
    explorer: Explorer,
    /// How many more cases will run.
    left: u32,
    /// The seed of the case that the next execution runs.
    planned: Option<u64>,
}

impl RandomCases {
    pub(super) fn new() -> RandomCases {
        // The corpus has the best scores, so the explorer mutates none of its cases.
        RandomCases {
            explorer: Explorer::new(0, u64::MAX),
            left: if Switch::RandomCases.is_on() { CASES } else { 0 },
            planned: None,
        }
    }

    /// Whether the next execution runs the case of this seed. Every second one does until there
    /// are enough.
    pub(super) fn plan(&mut self, seed: u64) -> bool {
        let is_planned = self.left > 0 && seed.count_ones().is_multiple_of(2);
        if is_planned {
            self.left -= 1;
            self.planned = Some(seed);
        }
        is_planned
    }

    /// Whether this execution runs a random case.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.planned.is_some()
    }

    /// Runs the planned case.
    pub(super) fn run(&mut self, executor: &mut InProcess<fn(&mut TestCase)>, link: Link) -> Run {
        let seed = self.planned.take().unwrap_or_default();
        executor.driver.follow(Published { link, is_first: true, bytes: Vec::new() });
        let run = executor.run_random(&mut self.explorer, seed);
        executor.driver.follow(Keys);
        run
    }
}

/// Shows the supervisor each choice as bytes.
struct Published {
    link: Link,
    is_first: bool,
    bytes: Vec<u8>,
}

impl Follower for Published {
    fn chose(&mut self, choice: &Choice) {
        self.bytes.clear();
        encode_choice(choice, &mut self.bytes);
        self.link.draws(&self.bytes, std::mem::take(&mut self.is_first));
    }

    fn keyed(&mut self, words: &str) {
        death::keep_bug_key(words);
    }
}

//! The process that fuzzes: it runs the target, tells its supervisor what failed, and may die at any time.

use std::collections::HashSet;

use dwindle_engine::TestCase;

use super::link::{Link, Reported};
use crate::failure::executor::{Executor, Failed, Run};
use crate::isolation::death;

/// How many lengths of inputs are told apart before a whole input is looked up.
const LENGTHS: usize = 4096;

/// Inputs that killed the process before.
pub(super) struct Killers {
    inputs: HashSet<Vec<u8>>,
    lengths: Vec<bool>,
}

impl Killers {
    pub(super) fn new() -> Killers {
        Killers { inputs: HashSet::new(), lengths: vec![false; LENGTHS] }
    }

    /// Whether it was not known before.
    pub(super) fn insert(&mut self, input: Vec<u8>) -> bool {
        self.lengths[input.len() % LENGTHS] = true;
        self.inputs.insert(input)
    }

    #[inline]
    fn contains(&self, input: &[u8]) -> bool {
        self.lengths[input.len() % LENGTHS] && self.inputs.contains(input)
    }
}

/// What runs the target in the fuzzing process.
pub(super) struct Fuzzer {
    executor: Executor<fn(&mut TestCase)>,
    link: Link,
    killers: Killers,
    reported: Reported,
    executions: u64,
}

impl Fuzzer {
    pub(super) fn new(executor: Executor<fn(&mut TestCase)>, link: Link, killers: Killers) -> Fuzzer {
        Fuzzer { executor, link, killers, reported: Reported::new(), executions: 0 }
    }

    /// One execution. 0: libFuzzer may keep the input; -1: it must not.
    #[inline]
    pub(super) fn execute(&mut self, input: &[u8]) -> i32 {
        if self.executions == 0 {
            // Not before libFuzzer has its own handlers in place: the last who comes is asked first.
            death::record_in(self.link.shared, &self.link.numbers().bell, &mut self.executor);
        }
        self.executions += 1;
        if self.killers.contains(input) {
            self.link.skipped();
            return -1;
        }
        self.link.begin(input);
        let executor = &mut self.executor;
        let run = death::watched(|| executor.run_bytes(input));
        self.link.end(self.executions);
        match &run {
            Run::Passed => 0,
            Run::Rejected | Run::Overrun => -1,
            Run::Failed(failed) => {
                self.failed(input, failed);
                -1
            }
        }
    }

    #[cold]
    fn failed(&mut self, input: &[u8], failed: &Failed) {
        let next = self.reported.len();
        let index = *self.reported.entry(failed.id).or_insert(next);
        // Counted first: whoever takes the report finds the sighting.
        self.link.saw(index);
        if index == next {
            self.link.report(input, failed);
        }
    }

    pub(super) fn link(&self) -> Link {
        self.link
    }
}

//! Inputs that killed the fuzzer, so that none of them does so twice.
//!
//! It has no switch: an input of the corpus that kills would end each fuzzer that is started after it.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// How many lengths of inputs are told apart before a whole input is looked up.
const LENGTHS: usize = 4096;

/// Inputs that killed the process before. Of each there is a hash of 64 bits: a piece of memory for every one would look like leaks to libFuzzer.
pub(super) struct KnownCrashes {
    hashes: HashSet<u64>,
    lengths: Box<[bool; LENGTHS]>,
    state: RandomState,
}

impl KnownCrashes {
    pub(super) fn new() -> KnownCrashes {
        KnownCrashes { hashes: HashSet::new(), lengths: Box::new([false; LENGTHS]), state: RandomState::new() }
    }

    pub(super) fn insert(&mut self, input: &[u8]) {
        self.lengths[input.len() % LENGTHS] = true;
        self.hashes.insert(self.state.hash_one(input));
    }

    #[inline]
    pub(super) fn contains(&self, input: &[u8]) -> bool {
        self.lengths[input.len() % LENGTHS] && self.hashes.contains(&self.state.hash_one(input))
    }
}

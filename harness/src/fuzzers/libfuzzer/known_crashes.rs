//! Known crashing inputs: inputs that killed the fuzzer, kept so that each does so only once.
//!
//! This has no switch. A crashing input in the corpus would end each fuzzer that is started after
//! it.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Number of length classes. An input whose length class is unused needs no lookup by its hash.
const LENGTHS: usize = 4096;

/// Inputs that killed the process before. Each is kept as a hash of 64 bits, because libFuzzer
/// would report a separate allocation for each input as a leak.
pub(super) struct KnownCrashes {
    hashes: HashSet<u64>,
    lengths: Box<[bool; LENGTHS]>,
    state: RandomState,
}

impl KnownCrashes {
    pub(super) fn new() -> KnownCrashes {
        KnownCrashes {
            hashes: HashSet::new(),
            lengths: Box::new([false; LENGTHS]),
            state: RandomState::new(),
        }
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

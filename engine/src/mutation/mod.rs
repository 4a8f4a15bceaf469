//! Mutates inputs at their choices, for coverage-guided fuzzers.
//!
//! A fuzzer changes bytes. It does not know where a choice begins, or which bytes belong to one
//! element of a collection. A [`Parent`] knows this about one input, because it comes from the
//! record of a run. The operators in `operators` change whole parts of it: a part is a choice or a
//! span. The result is bytes again.
//!
//! - `parent.rs`: the parts of one input, and the keys that say which parts can take each other's
//!   place.
//! - `pool.rs`: parts of earlier inputs, by key.
//! - `byte_list.rs`: a collection of single bytes, as bytes side by side.
//! - `bytewise.rs`: mutations of bytes, for a fuzzer that does not lend its own.
//! - `word.rs`: a few bytes that a target compares with, mostly a text.
//! - `chances.rs`: which operator comes next. It learns which ones bring new coverage.
//!
//! Crossover between parts of the same kind is the idea of Zeugma's linked crossover (Hough and
//! Bell, "Crossover in Parametric Fuzzing", 2024).

mod byte_list;
mod bytewise;
mod chances;
mod operators;
mod parent;
mod pool;
#[cfg(test)]
mod tests;
mod word;

use std::sync::Arc;

use fastrand::Rng;

pub use self::bytewise::bytewise;
use self::chances::Chances;
pub use self::operators::{Constants, Lent, Operator};
use self::operators::{Context, Edit};
pub use self::parent::Parent;
use self::pool::Pool;
pub use self::word::Word;
use crate::sorted::sort_by_key;

/// What makes a mutation: the fuzzer's own mutations of bytes (`None`), or an operator.
pub type Arm = Option<Operator>;

/// A fuzzer's own mutation: changes the bytes and keeps at most the given number of them.
type Bytewise<'a> = &'a mut dyn FnMut(&mut Vec<u8>, usize);

/// Maximum number of edits in one mutation.
const EDITS_MAX: usize = 6;

/// Mutates inputs, and learns from what the results bring.
#[derive(Debug)]
pub struct Mutator {
    pool: Pool,
    chances: Chances,
    rng: Rng,
}

impl Default for Mutator {
    fn default() -> Mutator {
        Mutator { pool: Pool::default(), chances: Chances::default(), rng: Rng::with_seed(0) }
    }
}

impl Mutator {
    /// Never uses these operators.
    pub fn without(operators: &[Operator]) -> Mutator {
        Mutator { chances: Chances::without(operators), ..Mutator::default() }
    }

    /// Begins a mutation, and says which arm makes it. At least half of all mutations are the
    /// fuzzer's own. The seed decides everything that is random until the next one begins.
    pub fn choose(&mut self, seed: u64) -> Arm {
        self.rng = Rng::with_seed(seed);
        self.chances.choose(&mut self.rng)
    }

    /// Records whether the fuzzer kept the result of a mutation.
    pub fn learn(&mut self, arm: Arm, is_kept: bool) {
        self.chances.learn(arm, is_kept);
    }

    /// Adds the parts of an input to those that other inputs can get.
    pub fn add(&mut self, parent: &Parent) {
        self.pool.add(parent, &mut self.rng);
    }

    /// Returns a mutated copy of `parent` of at most `max` bytes. `None` if the operator finds
    /// nothing to change.
    pub fn mutate(
        &mut self,
        operator: Operator,
        parent: &Parent,
        Lent { bytewise, constants }: Lent<'_>,
        max: usize,
    ) -> Option<Vec<u8>> {
        let rng = &mut self.rng;
        let mut context = Context { parent, pool: &self.pool, rng, bytewise, constants };
        let mut edits: Vec<Edit> = Vec::new();
        loop {
            if let Some(edit) = operator.edit(&mut context)
                && !edits.iter().any(|other| other.overlaps(&edit))
            {
                edits.push(edit);
            }
            if edits.len() >= EDITS_MAX || context.rng.bool() {
                break;
            }
        }
        let mut bytes = parent.bytes().to_vec();
        // From the end to the start, so that the places of the other edits stay valid.
        sort_by_key(&mut edits, |edit| std::cmp::Reverse(edit.place.start));
        for Edit { place, replacement } in edits {
            bytes.splice(place, replacement);
        }
        bytes.truncate(max);
        (!bytes.is_empty() && bytes != parent.bytes()[..]).then_some(bytes)
    }
}

/// Shares the bytes of a parent.
type Bytes = Arc<[u8]>;

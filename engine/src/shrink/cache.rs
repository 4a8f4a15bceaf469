//! The answers for candidates that were run before.

use crate::choice::{Choice, Value};
pub(super) use crate::hashed::hash;
use crate::hashed::{HashedMap, finished, mix_value};
use crate::outcome::Outcome;

/// How many answers the cache keeps before it forgets all of them: at most some 60 MiB.
const ENTRIES_MAX: usize = 1 << 20;

/// How many simplest values a candidate may omit at the end and still be known to draw them.
const ENDINGS_MAX: usize = 8;

/// What a candidate drew.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    /// The hash of the choices.
    pub(super) hash: u64,
    /// How the execution ended behind them. A failure says whether it has the origin of the shrink.
    pub(super) outcome: Outcome<bool>,
    /// The number of the choices. For an overrun it is the limit that cut the execution short. With
    /// a higher limit, the candidate would draw its further values.
    pub(super) length: u32,
}

/// Which choices each candidate drew, by hash.
///
/// A known candidate is worth another run only if it is the best itself. The best only gets
/// simpler, so a candidate that was no improvement never becomes one. Two candidates with one hash
/// cost an improvement at worst, and never cause a wrong result.
#[derive(Default)]
pub(super) struct Cache {
    drawn: HashedMap<u64, Drawn>,
    /// The lengths of all sequences that are known to end an execution, in ascending order.
    ends: Vec<usize>,
}

impl Cache {
    /// Returns the hash of a candidate, and what it draws if that is known. It is known if the
    /// candidate was run, or begins with all that another execution drew.
    pub(super) fn look_up(&self, candidate: &[Value]) -> (u64, Option<Drawn>) {
        let mut hash = 0;
        let mut hashed = 0;
        for end in self.ends.iter().copied().take_while(|end| *end < candidate.len()) {
            hash = candidate[hashed..end].iter().fold(hash, mix_value);
            hashed = end;
            if let Some(drawn) = self
                .drawn
                .get(&finished(hash))
                .filter(|drawn| drawn.outcome != Outcome::Overrun && drawn.hash == finished(hash))
            {
                return (drawn.hash, Some(*drawn));
            }
        }
        let hash = finished(candidate[hashed..].iter().fold(hash, mix_value));
        (hash, self.drawn.get(&hash).copied())
    }

    /// Does the same for an input that the target takes as it stands.
    #[cfg(feature = "fuzzing")]
    pub(super) fn look_up_raw(&self, input: &[u8]) -> (u64, Option<Drawn>) {
        let hash = finished(crate::hashed::mix_input(0, input));
        (hash, self.drawn.get(&hash).copied())
    }

    /// Records that `candidate` drew these choices, and at most `choices_max`. A candidate that
    /// omits only simplest values at the end draws the same choices.
    pub(super) fn insert(
        &mut self,
        candidate: u64,
        choices: &[Choice],
        choices_max: usize,
        outcome: Outcome<bool>,
    ) -> Drawn {
        let simplest = choices
            .iter()
            .rev()
            .take(ENDINGS_MAX)
            .take_while(|choice| choice.is_simplest())
            .count();
        let (before, behind) = choices.split_at(choices.len() - simplest);
        let mut hash = before.iter().fold(0, |hash, choice| mix_value(hash, &choice.value));
        let beginnings: [u64; ENDINGS_MAX + 1] = std::array::from_fn(|index| {
            if let Some(choice) = index.checked_sub(1).and_then(|index| behind.get(index)) {
                hash = mix_value(hash, &choice.value);
            }
            finished(hash)
        });
        let is_overrun = outcome == Outcome::Overrun;
        let length = if is_overrun { choices_max } else { choices.len() } as u32;
        let drawn = Drawn { hash: finished(hash), outcome, length };
        if self.drawn.len() >= ENTRIES_MAX {
            self.drawn.clear();
            self.ends.clear();
        }
        for beginning in beginnings.into_iter().take(simplest + 1).chain([candidate]) {
            self.drawn.insert(beginning, drawn);
        }
        if !is_overrun && let Err(place) = self.ends.binary_search(&choices.len()) {
            self.ends.insert(place, choices.len());
        }
        drawn
    }
}

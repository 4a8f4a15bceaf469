//! The cases that a property accepted, and new cases that are like them.
//!
//! If a property rejects many cases, the accepted ones show what it wants. So their profiles and
//! choices are used again. Thompson sampling chooses among them: a result is good if the case was
//! accepted and is new. The idea of profiles that learn comes from early Hypothesis, see
//! "Parametrization" in its guide to internals.
//!
//! At least a quarter of the cases planned here stay new, so that no case becomes impossible. With
//! scores, this is a sixteenth of all cases.

use fastrand::Rng;

use super::mutate::mutant;
use super::results::{Results, best_of};
use super::splice::spliced;
use crate::choice::Value;
use crate::hashed::{Hashes, hash};
use crate::random::ProfileSeeds;
use crate::trace::Trace;

/// Maximum cases that are kept.
const KEPT_MAX: usize = 32;

/// How many of the kept cases compete to be the next parent.
const RIVALS: usize = 4;

/// Maximum choices of a kept case that is longer than its parent. Without this, cases would grow
/// without benefit.
const GROWN_MAX: usize = 512;

/// Maximum hashes of accepted cases. When there are this many, all are removed.
const SEEN_MAX: usize = 1 << 16;

/// How many tries there are to make a case that was not accepted before.
const TRIES: usize = 4;

/// How a case uses an accepted one, its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reuse {
    /// The sampling profile.
    Profile,
    /// The sampling profile without one of its parts.
    NearProfile,
    /// The values, some of them changed.
    Mutant,
    /// The first values, and one time in two the sampling profile for the others.
    Beginning,
    /// The values, with a part of another accepted case.
    Spliced,
}

const REUSES: [Reuse; 5] =
    [Reuse::Profile, Reuse::NearProfile, Reuse::Mutant, Reuse::Beginning, Reuse::Spliced];

/// How to draw a case.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) profile: ProfileSeeds,
    /// The values to draw first.
    pub(super) values: Vec<Value>,
}

/// Some accepted cases, and the results of the cases that were made from them.
#[derive(Clone, Debug, Default)]
pub(super) struct Accepted {
    kept: Vec<Kept>,
    /// The number of cases without a parent, and how many of these were rejected.
    new: u64,
    rejected: u64,
    results: [Results; REUSES.len()],
    /// The hashes of accepted cases.
    seen: Hashes,
    /// The seed of the current case. `None` if the case is not learned from.
    current: Option<u64>,
    /// The profile of the current case, if it has a parent.
    profile: ProfileSeeds,
    /// How the current case uses its parent, and the index of the parent. `None` for a new case.
    parent: Option<(Reuse, usize)>,
}

#[derive(Clone, Debug)]
struct Kept {
    profile: ProfileSeeds,
    trace: Trace,
    results: [Results; REUSES.len()],
}

impl Accepted {
    /// Plans a case. `seed` is the seed of its values. `None` for a new case, whose profile has the
    /// same seed.
    pub(super) fn plan(&mut self, rng: &mut Rng, seed: u64) -> Option<Plan> {
        self.current = Some(seed);
        let is_learned = self.is_learning()
            && !self.kept.is_empty()
            && rng.u8(..4) != 0
            && rng.u64(..self.new) < self.rejected;
        if !is_learned {
            self.parent = None;
            return None;
        }
        let plan = self.learned(rng, ProfileSeeds::new(seed));
        self.profile = plan.profile;
        Some(plan)
    }

    /// The current case is not learned from.
    pub(super) fn skip(&mut self) {
        self.current = None;
    }

    /// The current case was rejected.
    pub(super) fn rejects(&mut self) {
        if self.current.take().is_some() {
            self.rejected += u64::from(self.parent.is_none());
            self.ended(false);
        }
    }

    /// The current case was accepted.
    pub(super) fn accepts(&mut self, rng: &mut Rng, trace: &Trace) {
        let Some(seed) = self.current.take() else { return };
        if !self.is_learning() {
            self.ended(true);
            return;
        }
        if self.seen.len() >= SEEN_MAX {
            self.seen.clear();
        }
        let hash = hash(trace.choices.iter().map(|choice| &choice.value));
        let is_new = self.seen.insert(hash);
        self.ended(is_new);
        let length_max =
            self.parent.map_or(usize::MAX, |(_, at)| self.kept[at].trace.len().max(GROWN_MAX));
        if is_new && trace.len() <= length_max {
            let profile = self.parent.map_or(ProfileSeeds::new(seed), |_| self.profile);
            self.keep(rng, Kept { profile, trace: trace.clone(), results: Default::default() });
        }
    }

    /// Whether at least half of the new cases were rejected. Otherwise no case is kept or hashed,
    /// because learning would cost time without benefit.
    fn is_learning(&self) -> bool {
        self.rejected > 0 && self.rejected * 2 >= self.new
    }

    fn ended(&mut self, is_good: bool) {
        match self.parent {
            None => self.new += 1,
            Some((reuse, parent)) => {
                self.results[reuse as usize].add(is_good);
                self.kept[parent].results[reuse as usize].add(is_good);
            }
        }
    }

    fn keep(&mut self, rng: &mut Rng, kept: Kept) {
        if self.kept.len() < KEPT_MAX {
            self.kept.push(kept);
        } else {
            self.kept[rng.usize(..KEPT_MAX)] = kept;
        }
    }

    /// Plans a case with a parent.
    fn learned(&mut self, rng: &mut Rng, new: ProfileSeeds) -> Plan {
        let reuse = self.reuse(rng);
        let rivals: [usize; RIVALS] = std::array::from_fn(|_| rng.usize(..self.kept.len()));
        let results = rivals.map(|at| (at, self.kept[at].results[reuse as usize]));
        let parent = best_of(rng, results);
        let Kept { profile, trace, .. } = &self.kept[parent];
        let mut plan = Plan { profile: *profile, values: Vec::new() };
        match reuse {
            Reuse::Profile => {}
            Reuse::NearProfile => {
                let other = if rng.bool() { new } else { self.any(rng).profile };
                plan.profile = profile.with_a_part_of(rng, other);
            }
            Reuse::Mutant => plan.values = self.unseen(|| Some(mutant(rng, trace))),
            Reuse::Beginning => {
                plan.values = trace.values();
                plan.values.truncate(rng.usize(..=trace.len()));
                if rng.bool() {
                    plan.profile = new;
                }
            }
            Reuse::Spliced => {
                plan.values = self.unseen(|| {
                    let other = self.any(rng);
                    spliced(rng, trace, &other.trace)
                });
            }
        }
        self.parent = Some((reuse, parent));
        plan
    }

    /// Draws how a case uses its parent. One time in two all ways are equally likely, so that one
    /// good way does not replace the others.
    fn reuse(&self, rng: &mut Rng) -> Reuse {
        if rng.bool() {
            return REUSES[rng.usize(..REUSES.len())];
        }
        REUSES[best_of(rng, self.results.into_iter().enumerate())]
    }

    fn any(&self, rng: &mut Rng) -> &Kept {
        &self.kept[rng.usize(..self.kept.len())]
    }

    /// Returns values that no accepted case had. Empty if [`TRIES`] tries make none.
    fn unseen(&self, mut make: impl FnMut() -> Option<Vec<Value>>) -> Vec<Value> {
        let mut tries = (0..TRIES).filter_map(|_| make());
        tries.find(|values| !self.seen.contains(&hash(values))).unwrap_or_default()
    }
}

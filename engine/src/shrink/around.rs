//! Searches around a best that no pass improves: finds other failures near it, and shrinks these.
//!
//! A pass only takes simpler steps, so it cannot leave a local minimum. A *kick* can: it is a case
//! that may be less simple than the best. If the kick fails in the same way, all passes except the
//! last ones shrink it. The failure at which they stop is an *end*. They also stop as soon as they
//! arrive at a known end. An end that is simpler than the best becomes the best.
//!
//! At least half of the kicks are made from the best. The others are made from one of the simplest
//! ends, because the way to a simpler end may lead over these. Iterated local search (Lourenço,
//! Martin and Stützle 2003) works in this way.

use fastrand::Rng;

use super::search::{Search, hash_of};
use crate::hashed::Hashes;
use crate::order;
use crate::trace::Trace;

/// One kick in this number is of a random kind. The others are of the kind with the highest gain
/// for each call.
const EXPLORES: usize = 4;
/// The calls and the gain with which each kind begins.
const PRIOR: Paid = Paid { calls: 40.0, gained: 1.0 };
/// How many of the simplest ends can be the base of a kick.
const BASES: usize = 8;
/// The gain of a kick that leads to a new end.
const NEW_END: f64 = 0.2;
/// The calls that count for a kick that needs no call.
const KNOWN: f64 = 0.25;

/// What a search around the best needs for one kind of input.
pub(super) trait Kicks {
    /// How many kinds of kicks there are.
    const KINDS: usize;

    /// Makes a kick of the kind with this index from `base`. Returns what it drew, if it fails with
    /// the origin.
    fn kick(
        &self,
        search: &mut Search<'_>,
        rng: &mut Rng,
        kind: usize,
        base: &Trace,
    ) -> Option<Trace>;

    /// Runs the passes until none of them improves the best.
    fn descend(&self, search: &mut Search<'_>);
}

/// What the kicks of one kind cost and gained.
#[derive(Clone, Copy)]
struct Paid {
    calls: f64,
    gained: f64,
}

/// What the search around the best has learned.
struct Learned {
    rng: Rng,
    /// One for each kind.
    paid: Vec<Paid>,
    /// The hashes of all ends.
    ends: Hashes,
    /// The simplest ends, in order, the best among them.
    simplest: Vec<Trace>,
}

impl Learned {
    /// One best always gives the same kicks, so that shrinking a result again changes nothing.
    fn new(best: &Trace, kinds: usize) -> Learned {
        let hash = hash_of(best);
        Learned {
            rng: Rng::with_seed(hash),
            paid: vec![PRIOR; kinds],
            ends: Hashes::from_iter([hash]),
            simplest: vec![best.clone()],
        }
    }

    /// The base of the next kick: in at least half of the kicks the best, else another end.
    fn base(&mut self) -> Trace {
        let at = if self.rng.bool() { 0 } else { self.rng.usize(..self.simplest.len()) };
        self.simplest[at].clone()
    }

    /// Records an end. Returns whether it was not known.
    fn add(&mut self, end: Trace) -> bool {
        let is_new = self.ends.insert(hash_of(&end));
        if is_new {
            let at = self
                .simplest
                .partition_point(|known| order::compare(&known.choices, &end.choices).is_lt());
            self.simplest.insert(at, end);
            self.simplest.truncate(BASES);
        }
        is_new
    }

    /// The index of the kind of the next kick.
    fn next_kind(&mut self) -> usize {
        if self.rng.usize(..EXPLORES) == 0 {
            return self.rng.usize(..self.paid.len());
        }
        let rate = |at: &usize| self.paid[*at].gained / self.paid[*at].calls;
        (0..self.paid.len()).max_by(|one, other| rate(one).total_cmp(&rate(other))).unwrap_or(0)
    }
}

/// Searches until the budget for it is used up, or until it improves the best.
pub(super) fn each<K: Kicks>(search: &mut Search<'_>, kicks: &K) {
    let mut learned = Learned::new(search.best(), K::KINDS);
    let improvements = search.improvements();
    while search.improvements() == improvements && !search.is_stopped() {
        let calls = search.calls();
        let kind = learned.next_kind();
        let base = learned.base();
        let mut gained = 0.0;
        if let Some(start) = kicks.kick(search, &mut learned.rng, kind, &base) {
            let end = search.descend(&start, &mut learned.ends, &|search| kicks.descend(search));
            if learned.add(end) {
                gained = NEW_END;
            }
        }
        let paid = &mut learned.paid[kind];
        paid.gained += gained;
        paid.calls += ((search.calls() - calls) as f64).max(KNOWN);
    }
}

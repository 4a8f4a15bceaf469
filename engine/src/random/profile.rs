//! The sampling profile: what the values of one test case have in common.
//!
//! Each parameter is drawn once for a test case, and then the values are drawn under it.
//! Independent draws from one flat distribution almost never give twenty equal values, a long run
//! of one operation, or a sorted list. The ideas come from swarm testing, Groce et al. 2012, and
//! from the parametrization of early Hypothesis.

use fastrand::Rng;

use super::copies::Copies;
use crate::choice::{Coin, Constraint, Value};

/// Maximum constraints of a test case that have a relation. The values of all other constraints are
/// independent.
const KEPT_MAX: usize = 16;

/// The number of parts in which profiles may differ.
const PARTS: usize = 6;

/// What a profile is made of: for each of its parts, the seed that the part is drawn from.
///
/// The same seeds give the same profile. A profile that shares some seeds with another shares these
/// parts with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProfileSeeds([u64; PARTS]);

impl ProfileSeeds {
    /// A profile that shares nothing with those of other seeds.
    #[inline]
    pub(crate) fn new(seed: u64) -> ProfileSeeds {
        ProfileSeeds([seed; PARTS])
    }

    /// The same profile with one part of `other`.
    pub(crate) fn with_a_part_of(mut self, rng: &mut Rng, other: ProfileSeeds) -> ProfileSeeds {
        let part = rng.usize(..PARTS);
        self.0[part] = other.0[part];
        self
    }
}

/// The parameters of one test case.
#[derive(Clone, Debug)]
pub(super) struct SamplingProfile {
    rng: Rng,
    /// A bit set of the alternatives to leave out; 0 leaves out none.
    left_out: u64,
    /// The preferred alternative, modulo the number of alternatives.
    favourite: Option<usize>,
    /// Maximum bits of most numbers.
    pub(super) small_bits: Option<u32>,
    /// Mean number of elements of a collection.
    pub(super) mean_length: f64,
    /// The depth at which half of the values of a recursive type end.
    pub(super) depth: f64,
    /// How many more values of recursive types may recurse before all of them end. Set only for
    /// deep test cases.
    pub(super) branches_left: Option<u32>,
    of_values: Vec<(Constraint, Relation)>,
    /// Maximum constraints with a relation.
    kept_max: usize,
}

/// How the values of one constraint are related.
#[derive(Clone, Debug)]
pub(super) enum Relation {
    /// The values have nothing in common.
    Free,
    /// The values are a few different ones. Of 256 values, `free` are independent.
    Few { values: Vec<Value>, count: usize, free: u8 },
    /// Each value is a step up or down from the one before. Of 256 values, `free` are independent.
    /// A step is less than two to the power of `bits`.
    Steps { last: Option<i128>, bits: u32, up: bool, free: u8 },
    /// Most values lie at an edge.
    Edges,
    /// `likely` of 256 coins are `true`.
    Likely(u16),
}

impl SamplingProfile {
    pub(super) fn new(seeds: ProfileSeeds) -> SamplingProfile {
        let [relations, left_out, small_bits, favourite, mean_length, depth] = seeds.0;
        let mut profile = SamplingProfile::of_one(relations);
        let other = |seed| (seed != relations).then(|| SamplingProfile::of_one(seed));
        if let Some(other) = other(left_out) {
            profile.left_out = other.left_out;
        }
        if let Some(other) = other(small_bits) {
            profile.small_bits = other.small_bits;
        }
        if let Some(other) = other(favourite) {
            profile.favourite = other.favourite;
        }
        if let Some(other) = other(mean_length) {
            profile.mean_length = other.mean_length;
        }
        if let Some(other) = other(depth) {
            (profile.depth, profile.branches_left) = (other.depth, other.branches_left);
        }
        profile
    }

    /// The profile of which every part is drawn from one seed.
    pub(super) fn of_one(seed: u64) -> SamplingProfile {
        let (left_out, small_bits) = swarm(&mut Rng::with_seed(seed));
        let mut rng = Rng::with_seed(!seed);
        let favourite = if rng.u8(..4) == 0 { Some(rng.usize(..)) } else { None };
        let mean_length = [6.0, 6.0, 6.0, 6.0, 6.0, 2.0, 24.0, 40.0][rng.usize(..8)];
        let is_deep = rng.u8(..8) == 0;
        let (depth, branches_left) =
            if is_deep { (24.0, Some(rng.u32(8..128))) } else { (3.0, None) };
        SamplingProfile {
            rng,
            left_out,
            favourite,
            small_bits,
            mean_length,
            depth,
            branches_left,
            of_values: Vec::new(),
            kept_max: KEPT_MAX,
        }
    }

    /// Removes relations, favourites and left-out alternatives, and sets the usual lengths and
    /// depths. Copies and small numbers stay.
    pub(super) fn flatten(&mut self) {
        *self = SamplingProfile {
            left_out: 0,
            favourite: None,
            mean_length: 6.0,
            depth: 3.0,
            branches_left: None,
            kept_max: 0,
            ..self.clone()
        };
    }

    /// Whether an alternative is left out. A profile leaves out none, or about half of the
    /// alternatives. Each `count` has a different half.
    pub(super) fn leaves_out(&self, alternative: usize, count: usize) -> bool {
        self.left_out != 0
            && (self.left_out.rotate_left(count as u32) >> (alternative % 64)) & 1 == 1
    }

    /// The alternative that most draws take, if there is one.
    pub(super) fn favourite(&self, count: usize) -> Option<usize> {
        self.favourite.map(|favourite| favourite % count)
    }

    /// How the elements of one collection copy earlier ones, and how many of 256 elements do.
    pub(super) fn copies(&mut self) -> Option<(Copies, u8)> {
        if self.rng.u8(..5) != 0 {
            return None;
        }
        let copies = Copies::any(&mut self.rng);
        Some((copies, [255, 255, 255, 230, 128][self.rng.usize(..5)]))
    }

    /// The relation of the values of `constraint`. `None` if the test case already has the maximum
    /// of relations.
    pub(super) fn of(&mut self, constraint: &Constraint) -> Option<&mut Relation> {
        let at = match self.of_values.iter().position(|(kept, _)| kept == constraint) {
            Some(at) => at,
            None if self.of_values.len() < self.kept_max => {
                let relation = Relation::new(&mut self.rng, constraint);
                self.of_values.push((constraint.clone(), relation));
                self.of_values.len() - 1
            }
            None => return None,
        };
        Some(&mut self.of_values[at].1)
    }
}

impl Relation {
    fn new(rng: &mut Rng, constraint: &Constraint) -> Relation {
        match constraint {
            Constraint::Boolean(coin) if is_fair(*coin) => match rng.u8(..4) {
                0 => Relation::Likely(rng.u16(0..=256)),
                1 => Relation::Likely([0, 8, 248, 256][rng.usize(..4)]),
                _ => Relation::Free,
            },
            Constraint::Boolean(_) | Constraint::Rest | Constraint::Path => Relation::Free,
            Constraint::Integer(range) => match rng.u8(..16) {
                0 | 1 => Relation::few(rng),
                2 | 3 => {
                    let bits = rng.u32(
                        1..=(128 - range.max.abs_diff(range.min).leading_zeros()).clamp(1, 100),
                    );
                    Relation::Steps {
                        last: None,
                        bits,
                        up: rng.bool(),
                        free: [0, 0, 16][rng.usize(..3)],
                    }
                }
                4 => Relation::Edges,
                _ => Relation::Free,
            },
            Constraint::Float(_) | Constraint::Bytes(_) | Constraint::Text(..) => {
                if rng.u8(..8) == 0 { Relation::few(rng) } else { Relation::Free }
            }
        }
    }

    fn few(rng: &mut Rng) -> Relation {
        Relation::Few {
            values: Vec::new(),
            count: [1, 2, 2, 3, 5][rng.usize(..5)],
            free: [0, 0, 16, 96][rng.usize(..4)],
        }
    }
}

fn is_fair(coin: Coin) -> bool {
    coin.forced.is_none() && !coin.more && coin.bytes == 1 && coin.threshold == 0x80
}

/// Draws the alternatives to leave out, and the limit of small numbers.
pub(super) fn swarm(rng: &mut Rng) -> (u64, Option<u32>) {
    let left_out = if rng.bool() { rng.u64(1..) } else { 0 };
    let small_bits = if rng.u8(..4) == 0 { Some(rng.u32(1..=6)) } else { None };
    (left_out, small_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts that are drawn at the beginning.
    fn parts(seeds: ProfileSeeds) -> [String; 5] {
        let SamplingProfile { left_out, favourite, small_bits, mean_length, depth, .. } =
            SamplingProfile::new(seeds);
        [
            format!("{left_out:?}"),
            format!("{favourite:?}"),
            format!("{small_bits:?}"),
            format!("{mean_length:?}"),
            format!("{depth:?}"),
        ]
    }

    #[test]
    fn a_changed_profile_has_one_part_of_the_other() {
        let mut rng = Rng::with_seed(0);
        let mut changed = [false; 5];
        for seed in 0..200 {
            let (one, other) = (ProfileSeeds::new(seed), ProfileSeeds::new(seed + 1000));
            let mixed = one.with_a_part_of(&mut rng, other);
            assert_eq!(mixed.0.iter().zip(&one.0).filter(|(a, b)| a != b).count(), 1);
            let (mixed, one, other) = (parts(mixed), parts(one), parts(other));
            let differing: Vec<usize> = (0..5).filter(|at| mixed[*at] != one[*at]).collect();
            assert!(differing.len() <= 1, "{mixed:?} {one:?}");
            for at in differing {
                assert_eq!(mixed[at], other[at]);
                changed[at] = true;
            }
        }
        assert_eq!(changed, [true; 5]);
    }
}

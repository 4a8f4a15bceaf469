//! Chooses the next random case: a new one, a mutant of the best cases so far, or a case like those
//! that were accepted.

mod peaks;
mod mutate;
mod splice;
mod results;
mod accepted;

use fastrand::Rng;

use self::accepted::{Accepted, Plan};
pub(crate) use self::mutate::mutant;
use self::peaks::Peaks;
use crate::test_case::Driver;

/// The random cases of one run. One seed and one target give one run.
///
/// The explorer keeps the few best cases for each label of a score, see
/// [`TestCase::target`](crate::TestCase::target). After the first cases, three of four cases are
/// mutated copies of them.
///
/// If the target rejects at least half of the new cases, some cases repeat the sampling profile of
/// an accepted case, or a part of its choices. The larger the share of rejected cases, the more of
/// these there are, at most three of four. Without scores and rejections, every case is new.
#[derive(Clone, Debug)]
pub struct Explorer {
    seed: u64,
    warm_up: u64,
    rng: Rng,
    peaks: Peaks,
    accepted: Accepted,
}

impl Explorer {
    /// Creates a run that begins with `warm_up` new cases.
    pub fn new(seed: u64, warm_up: u64) -> Explorer {
        Explorer {
            seed,
            warm_up,
            rng: Rng::with_seed(seed ^ 0x7363_6F72_6573),
            peaks: Peaks::default(),
            accepted: Accepted::default(),
        }
    }

    /// The seed of the run.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Starts the `case`th case of the run.
    pub fn start(&mut self, tc: &mut Driver, case: u64, choices_max: usize) {
        let seed = case_seed(self.seed, case);
        let parent = if case > self.warm_up && !case.is_multiple_of(4) {
            self.peaks.parent(&mut self.rng)
        } else {
            None
        };
        match parent {
            Some(parent) => {
                self.accepted.skip();
                tc.start_mutant(mutant(&mut self.rng, parent), seed, choices_max);
            }
            None => match self.accepted.plan(&mut self.rng, seed) {
                Some(Plan { profile, values }) => {
                    tc.start_under(profile, values, seed, choices_max);
                }
                None => tc.start_random(seed, choices_max),
            },
        }
    }

    /// Learns that the case that was started last passed. It is kept if it is one of the best.
    pub fn passed(&mut self, tc: &Driver) {
        if !tc.scores().is_empty() {
            self.peaks.note(tc.scores(), tc.trace());
        }
        self.accepted.accepts(&mut self.rng, tc.trace());
    }

    /// Learns that the case that was started last was rejected, or asked for too many choices.
    pub fn rejected(&mut self) {
        self.accepted.rejects();
    }
}

/// The seed of the `case`th case of a run.
pub fn case_seed(seed: u64, case: u64) -> u64 {
    // SplitMix64, so that neighbouring runs share no cases.
    let mut mixed = seed
        .wrapping_mul(0xD129_0FE2_5C1B_2C6B)
        .wrapping_add(case.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

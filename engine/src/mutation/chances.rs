//! Which operator comes next.
//!
//! An arm is an operator, or the fuzzer's own mutations. The rate of an arm is the share of its
//! mutations that the fuzzer kept. Half of the time, the fuzzer's own mutations come next. The
//! other half of the time, each arm draws a likely rate, and the highest wins: Thompson sampling.
//!
//! So a target without structure loses little to the operators. Old results count less than new
//! ones.

use fastrand::Rng;

use super::Arm;
use super::operators::Operator;

const ARMS: usize = Operator::ALL.len() + 1;

/// Results are halved when the arms have this many kept mutations together.
const KEPT_MAX: f32 = 96.0;

/// One arm stays chosen for this number of choices, because a draw for all arms costs about as
/// much as a small mutation.
const ROUND: u8 = 4;

#[derive(Debug)]
pub(super) struct Chances {
    results: [ArmResults; ARMS],
    is_off: [bool; ARMS],
    chosen: Arm,
    left: u8,
}

#[derive(Clone, Copy, Debug)]
struct ArmResults {
    tried: f32,
    kept: f32,
}

impl ArmResults {
    /// Halves the results. An arm with almost no kept mutations gets the least rate instead, so it
    /// is still tried now and then.
    fn fade(&mut self) {
        const LEAST: f32 = 0.5;
        const TRIED_MAX: f32 = 4000.0;
        if self.kept < 2.0 * LEAST {
            self.kept = LEAST;
            self.tried = self.tried.min(TRIED_MAX);
        } else {
            self.kept /= 2.0;
            self.tried /= 2.0;
        }
    }
}

impl Default for Chances {
    fn default() -> Chances {
        // As if each arm had made 20 mutations, one of them kept. So every arm is tried early.
        let results = [ArmResults { tried: 20.0, kept: 1.0 }; ARMS];
        Chances { results, is_off: [false; ARMS], chosen: None, left: 0 }
    }
}

impl Chances {
    pub(super) fn without(operators: &[Operator]) -> Chances {
        let mut chances = Chances::default();
        for operator in operators {
            chances.is_off[arm_of(Some(*operator))] = true;
        }
        chances
    }

    pub(super) fn choose(&mut self, rng: &mut Rng) -> Arm {
        if self.left == 0 {
            self.left = ROUND;
            self.chosen = if rng.bool() { None } else { self.best(rng) };
        }
        self.left -= 1;
        self.chosen
    }

    fn best(&self, rng: &mut Rng) -> Arm {
        let mut best = (f32::MIN, 0);
        for (arm, results) in self.results.iter().enumerate() {
            // The number of kept mutations is nearly Poisson distributed.
            let drawn = (results.kept + normal(rng) * results.kept.sqrt()) / results.tried;
            if drawn > best.0 && !self.is_off[arm] {
                best = (drawn, arm);
            }
        }
        best.1.checked_sub(1).map(|operator| Operator::ALL[operator])
    }

    pub(super) fn learn(&mut self, arm: Arm, is_kept: bool) {
        let results = &mut self.results[arm_of(arm)];
        results.tried += 1.0;
        if is_kept {
            results.kept += 1.0;
            if self.results.iter().map(|results| results.kept).sum::<f32>() > KEPT_MAX {
                self.results.iter_mut().for_each(ArmResults::fade);
            }
        }
    }
}

/// The place of an arm among the results.
fn arm_of(arm: Arm) -> usize {
    arm.map_or(0, |operator| operator as usize + 1)
}

/// A number that is about normally distributed, with mean 0 and variance 1.
fn normal(rng: &mut Rng) -> f32 {
    (0..3).map(|_| rng.f32() * 2.0 - 1.0).sum()
}

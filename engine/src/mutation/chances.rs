//! Which operator comes next.
//!
//! Each arm has a rate: how many of its mutations the fuzzer kept. Half of the choices go to the
//! fuzzer's own mutations. The other half goes to the arm whose rate is highest in a random draw
//! from what is known of the rates (Thompson sampling), the fuzzer's own among them. So a target
//! without structure loses little to the operators. Old results count less than new ones.

use fastrand::Rng;

use super::Arm;
use super::operators::Operator;

const ARMS: usize = Operator::ALL.len() + 1;

/// Results are halved when the arms have this many kept mutations together.
const KEPT_MAX: f32 = 96.0;

/// One arm stays chosen for this number of choices, because a draw of all rates costs about as much
/// as a small mutation.
const ROUND: u8 = 4;

#[derive(Debug)]
pub(super) struct Chances {
    rates: [Rate; ARMS],
    chosen: Arm,
    left: u8,
}

#[derive(Clone, Copy, Debug)]
struct Rate {
    tried: f32,
    kept: f32,
}

impl Rate {
    /// Counts old results half. An arm that brings nothing keeps its low rate, and is never quite
    /// given up.
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
        // As if each arm had been tried a few times: every arm gets a try before its rate is known.
        Chances { rates: [Rate { tried: 20.0, kept: 1.0 }; ARMS], chosen: None, left: 0 }
    }
}

impl Chances {
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
        for (arm, rate) in self.rates.iter().enumerate() {
            // The number of kept mutations is nearly Poisson distributed.
            let drawn = (rate.kept + normal(rng) * rate.kept.sqrt()) / rate.tried;
            if drawn > best.0 {
                best = (drawn, arm);
            }
        }
        best.1.checked_sub(1).map(|operator| Operator::ALL[operator])
    }

    pub(super) fn learn(&mut self, arm: Arm, is_kept: bool) {
        let rate = &mut self.rates[arm.map_or(0, |operator| operator as usize + 1)];
        rate.tried += 1.0;
        if is_kept {
            rate.kept += 1.0;
            if self.rates.iter().map(|rate| rate.kept).sum::<f32>() > KEPT_MAX {
                self.rates.iter_mut().for_each(Rate::fade);
            }
        }
    }
}

/// A number that is about normally distributed, with mean 0 and variance 1.
fn normal(rng: &mut Rng) -> f32 {
    (0..3).map(|_| rng.f32() * 2.0 - 1.0).sum()
}

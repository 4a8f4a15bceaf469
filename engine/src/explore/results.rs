//! How often something works, and random draws from what is known of it.

use fastrand::Rng;

/// Results are halved when there are this many, so that old ones count less.
const TRIED_MAX: u32 = 32;

/// How often something was tried, and how often that was good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Results {
    tried: u32,
    good: u32,
}

impl Results {
    /// Adds one result.
    pub(super) fn add(&mut self, is_good: bool) {
        if self.tried >= TRIED_MAX {
            self.tried /= 2;
            self.good /= 2;
        }
        self.tried += 1;
        self.good += u32::from(is_good);
    }

    /// Draws a rate from the beta distribution of the rates that are likely after these results.
    /// Without results all rates are equally likely.
    fn draw(self, rng: &mut Rng) -> f64 {
        // The negative logarithm of a product of uniform numbers has a gamma distribution.
        let mut gamma = |count| -(0..count).map(|_| 1.0 - rng.f64()).product::<f64>().ln();
        let good = gamma(self.good + 1);
        good / (good + gamma(self.tried - self.good + 1))
    }
}

/// The place of the highest rate in one random draw of each (Thompson sampling).
pub(super) fn best_of(rng: &mut Rng, results: impl IntoIterator<Item = (usize, Results)>) -> usize {
    let mut best = (f64::MIN, 0);
    for (at, one) in results {
        let drawn = one.draw(rng);
        if drawn > best.0 {
            best = (drawn, at);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(good: u32, bad: u32) -> Results {
        let mut results = Results::default();
        (0..good).for_each(|_| results.add(true));
        (0..bad).for_each(|_| results.add(false));
        results
    }

    #[test]
    fn the_mean_of_the_draws_is_the_likely_rate() {
        let mut rng = Rng::with_seed(1);
        for (good, bad) in [(0, 0), (1, 0), (3, 9), (0, 20)] {
            let draws = (0..4000).map(|_| results(good, bad).draw(&mut rng));
            let mean = draws.sum::<f64>() / 4000.0;
            let wanted = f64::from(good + 1) / f64::from(good + bad + 2);
            assert!((mean - wanted).abs() < 0.02, "{mean} in place of {wanted}");
        }
    }

    #[test]
    fn the_better_results_win_nearly_always_and_the_unknown_one_sometimes() {
        let wins = |one: Results, other: Results| {
            let mut rng = Rng::with_seed(2);
            (0..1000).filter(|_| best_of(&mut rng, [(0, one), (1, other)]) == 1).count()
        };
        assert!(wins(results(1, 20), results(15, 5)) > 990);
        let unknown = wins(results(8, 8), Results::default());
        assert!((300..700).contains(&unknown), "{unknown}");
    }

    #[test]
    fn old_results_fade() {
        let mut changed = results(32, 0);
        (0..100).for_each(|_| changed.add(false));
        assert!(changed.good <= 4 && changed.tried <= TRIED_MAX, "{changed:?}");
    }
}

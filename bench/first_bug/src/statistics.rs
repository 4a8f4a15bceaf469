//! Medians of runs that may have found nothing, and ratios of them with an interval.

use fastrand::Rng;

/// How often runs and targets are drawn again for an interval.
const RESAMPLES: usize = 2_000;

/// What one run took, or the limit if it found nothing up to there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub value: f64,
    pub is_found: bool,
}

/// The median of some runs. Runs that found nothing count as slower than all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    pub value: f64,
    /// Whether the true median is larger: a run that found nothing is in the middle.
    pub is_bound: bool,
}

/// The median. Not a number without samples.
pub fn median(samples: &[Sample]) -> Median {
    let mut samples = samples.to_vec();
    samples.sort_unstable_by(|left, right| {
        right.is_found.cmp(&left.is_found).then(left.value.total_cmp(&right.value))
    });
    match samples.len() {
        0 => Median { value: f64::NAN, is_bound: false },
        len => {
            let (low, high) = (samples[(len - 1) / 2], samples[len / 2]);
            Median { value: f64::midpoint(low.value, high.value), is_bound: !high.is_found }
        }
    }
}

/// The runs of two arms on one target.
#[derive(Clone, Debug)]
pub struct Pair {
    pub over: Vec<Sample>,
    pub under: Vec<Sample>,
}

impl Pair {
    /// The ratio of the medians. `None` if both are only bounds.
    pub fn ratio(&self) -> Option<f64> {
        let (over, under) = (median(&self.over), median(&self.under));
        (!over.is_bound || !under.is_bound).then(|| over.value / under.value)
    }
}

/// A geometric mean of ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    pub value: f64,
    /// The 2.5th and the 97.5th percentile of the same mean over targets and runs drawn again.
    pub interval: [f64; 2],
    /// Targets with a ratio.
    pub targets: usize,
}

/// The geometric mean of the ratios of all targets. Targets of which neither median is known are
/// left out.
pub fn geometric_mean(pairs: &[Pair]) -> Option<Mean> {
    let pairs: Vec<&Pair> = pairs.iter().filter(|pair| pair.ratio().is_some()).collect();
    if pairs.is_empty() {
        return None;
    }
    let mean = |ratios: Vec<f64>| {
        (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
    };
    let mut random = Rng::with_seed(1);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let ratios = (0..pairs.len()).map(|_| {
                let pair = pairs[random.usize(..pairs.len())];
                let over = median(&drawn(&pair.over, &mut random)).value;
                over / median(&drawn(&pair.under, &mut random)).value
            });
            mean(ratios.collect())
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    Some(Mean {
        value: mean(pairs.iter().filter_map(|pair| pair.ratio()).collect()),
        interval: [means[RESAMPLES / 40], means[RESAMPLES - 1 - RESAMPLES / 40]],
        targets: pairs.len(),
    })
}

/// As many samples, drawn with replacement.
fn drawn(samples: &[Sample], random: &mut Rng) -> Vec<Sample> {
    (0..samples.len()).map(|_| samples[random.usize(..samples.len())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: f64 = 9.0;

    fn samples(values: &[f64]) -> Vec<Sample> {
        values.iter().map(|&value| Sample { value, is_found: value < LIMIT }).collect()
    }

    #[test]
    fn a_median_among_runs_without_a_bug_is_a_bound() {
        assert_eq!(median(&samples(&[3.0, 1.0, 9.0])), Median { value: 3.0, is_bound: false });
        assert_eq!(median(&samples(&[1.0, 9.0, 9.0])), Median { value: 9.0, is_bound: true });
        assert_eq!(median(&samples(&[1.0, 9.0])), Median { value: 5.0, is_bound: true });
        assert!(median(&[]).value.is_nan());
    }

    #[test]
    fn the_mean_leaves_out_targets_without_a_ratio() {
        let pair =
            |over: &[f64], under: &[f64]| Pair { over: samples(over), under: samples(under) };
        let pairs = [
            pair(&[2.0, 2.0, 2.0], &[1.0, 1.0, 1.0]),
            pair(&[1.0, 1.0, 9.0], &[9.0, 9.0, 8.0]),
            pair(&[9.0], &[9.0]),
        ];
        let mean = geometric_mean(&pairs).expect("two ratios");
        assert_eq!(mean.targets, 2);
        assert!((mean.value - (2.0_f64 / 9.0).sqrt()).abs() < 1e-9, "{mean:?}");
        assert!(mean.interval[0] <= mean.value && mean.value <= mean.interval[1], "{mean:?}");
        assert_eq!(geometric_mean(&pairs[2..]), None);
    }

    #[test]
    fn equal_runs_have_an_interval_of_one_point() {
        let pair = Pair { over: samples(&[2.0; 4]), under: samples(&[4.0; 4]) };
        let mean = geometric_mean(&[pair]).expect("a ratio");
        assert_eq!((mean.value, mean.interval), (0.5, [0.5, 0.5]));
    }
}

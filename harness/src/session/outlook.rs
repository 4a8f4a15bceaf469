//! How likely the next minute covers new edges.
//!
//! The estimate counts how often new edges came in the last part of the run. See
//! [`NewCoverage::estimate`] for what it assumes.
//!
//! The estimate of Good and Turing (Böhme, "STADS", 2018) needs the number of edges that exactly
//! one execution has reached. So each execution would have to look at its edges. That estimate also
//! assumes that executions are alike, but a fuzzer builds on what it finds. This is the adaptive
//! bias of Böhme, Liyanage and Wüstholz, "Estimating residual risk in greybox fuzzing", 2021. The
//! rate at which new edges come contains this effect. Here, an execution only stores the number of
//! edges.
//!
//! `cargo xtask evidence estimate` compares the estimate with the edges that came.

use std::time::{Duration, Instant};

use dwindle_corpus::events::NewCoverage;

/// Time after the start of fuzzing before which there is no estimate.
const EARLIEST: Duration = Duration::from_secs(5);
/// The time that the estimate is for.
const NEXT: Duration = Duration::from_mins(1);

/// When a run covered new edges.
#[derive(Debug, Default)]
pub(crate) struct Outlook {
    /// How many edges all fuzzers of the run have covered.
    covered: u64,
    /// When fuzzing began, after the fuzzer had read its corpus.
    began: Option<Instant>,
    /// How long it had gone on at the last look.
    time: Duration,
    /// When new edges came since fuzzing began, oldest first.
    times: Vec<Duration>,
}

impl Outlook {
    /// Looks at the number of covered edges. `is_fuzzing`: the fuzzer has read its corpus.
    #[cfg_attr(
        not(feature = "libfuzzer"),
        expect(dead_code, reason = "the other engines know no coverage")
    )]
    pub(crate) fn look(&mut self, covered: u64, is_fuzzing: bool) {
        if covered > 0 {
            let now = Instant::now();
            let time = is_fuzzing.then(|| now - *self.began.get_or_insert(now));
            self.look_at(covered, time);
        }
    }

    /// `time` is how long fuzzing has gone on. `None` while the fuzzer reads its corpus.
    fn look_at(&mut self, covered: u64, time: Option<Duration>) {
        let is_new = covered > self.covered;
        self.covered = self.covered.max(covered);
        let Some(time) = time else { return };
        self.time = time;
        // The first look after the corpus was read sees what the corpus covers.
        if is_new && !time.is_zero() {
            self.times.push(time);
        }
    }

    /// The estimate at the last look. `None` without coverage, and in the first seconds.
    pub(crate) fn estimate(&self) -> Option<NewCoverage> {
        let all = self.times.len();
        let after = |time| (all - self.times.partition_point(|came| *came <= time)) as f64;
        (self.time >= EARLIEST).then(|| NewCoverage::estimate(all as u64, after, self.time, NEXT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outlook at `seconds` of a run in which new edges came at the times `came`.
    fn outlook(came: &[f64], seconds: f64) -> Outlook {
        let mut outlook = Outlook::default();
        outlook.look_at(1, Some(Duration::ZERO));
        for (covered, came) in (2..).zip(came.iter().filter(|came| **came <= seconds)) {
            outlook.look_at(covered, Some(Duration::from_secs_f64(*came)));
        }
        outlook.look_at(0, Some(Duration::from_secs_f64(seconds)));
        outlook
    }

    fn estimate(came: &[f64], seconds: f64) -> NewCoverage {
        outlook(came, seconds).estimate().expect("it is time for an estimate")
    }

    /// Random times at which new edges come, up to `seconds`. The rate after t seconds is
    /// `often / t`.
    fn falling(often: f64, seconds: f64, seed: &mut u64) -> Vec<f64> {
        let mut times = vec![1.0];
        while times[times.len() - 1] < seconds {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let uniform = ((*seed >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
            times.push(times[times.len() - 1] * (-uniform.ln() / often).exp());
        }
        times.drain(1..times.len() - 1).collect()
    }

    #[test]
    fn what_comes_at_a_falling_rate_is_expected() {
        let mut seed = 1;
        for seconds in [30.0, 120.0, 1000.0] {
            for often in [1.0, 3.0, 10.0] {
                let (mut expected, mut chance, mut times, mut some) = (0.0, 0.0, 0.0, 0.0);
                for _ in 0..2000 {
                    let came = falling(often, seconds + 60.0, &mut seed);
                    let estimate = estimate(&came, seconds);
                    expected += estimate.expected;
                    chance += estimate.chance;
                    let next = came.iter().filter(|came| **came > seconds).count() as f64;
                    times += next;
                    some += next.min(1.0);
                }
                let case = format!("{often} over {seconds} s: {expected} {times}, {chance} {some}");
                assert!((0.75..2.0).contains(&(expected / times)), "{case}");
                assert!((0.5..2.0).contains(&(chance / some)), "{case}");
            }
        }
    }

    #[test]
    fn a_steady_rate_is_expected_within_a_factor_of_two() {
        for seconds in [61.0, 120.0, 3600.0] {
            let came: Vec<f64> = (1..4000).map(f64::from).collect();
            let expected = estimate(&came, seconds).expected;
            assert!((30.0..60.0).contains(&expected), "{expected} at {seconds}");
        }
    }

    #[test]
    fn the_longer_nothing_comes_the_less_is_expected() {
        let at = |seconds| estimate(&[1.0, 2.0, 3.0, 20.0], seconds);
        let mut last = at(21.0);
        for seconds in [30.0, 41.0, 60.0, 600.0, 1e6] {
            let next = at(seconds);
            assert!(next.chance < last.chance && next.expected < last.expected, "{next:?}");
            assert!(next.chance > 0.0 && next.times == 4, "{next:?}");
            last = next;
        }
        assert!(last.chance < 0.001, "{last:?}");
    }

    #[test]
    fn a_run_that_brings_nothing_any_more_expects_little() {
        let came: Vec<f64> = (1..40).map(|at| f64::from(at) / 50.0).collect();
        let sum: f64 = (1..12).map(|at| estimate(&came, 10.0 * f64::from(at)).expected).sum();
        // Jeffreys' prior for each doubling alone expects more than six times.
        assert!(sum < 3.0, "{sum}");
    }

    #[test]
    fn there_is_no_estimate_in_the_first_seconds_or_without_coverage() {
        assert_eq!(outlook(&[1.0, 2.0], 4.9).estimate(), None);
        assert!(outlook(&[1.0, 2.0], 5.0).estimate().is_some());
        assert_eq!(Outlook::default().estimate(), None);
    }

    #[test]
    fn edges_of_the_corpus_and_of_a_fuzzer_that_died_are_not_new() {
        let mut outlook = Outlook::default();
        let mut look = |covered, seconds: Option<u64>| {
            outlook.look_at(covered, seconds.map(Duration::from_secs));
            outlook.times.len()
        };
        assert_eq!([look(5, None), look(90, None), look(100, Some(0))], [0, 0, 0]);
        assert_eq!([look(101, Some(6)), look(101, Some(7)), look(105, Some(8))], [1, 1, 2]);
        // The next fuzzer reads the corpus again.
        assert_eq!([look(40, Some(9)), look(105, Some(10)), look(106, Some(11))], [2, 2, 3]);
    }
}

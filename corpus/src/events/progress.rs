//! What is sent while work goes on.

use std::f64::consts::LN_2;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::BugId;

/// The figures of a run so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heartbeat {
    /// Executions of the target.
    pub executions: u64,
    /// Seconds since the run began.
    pub seconds: f64,
    /// Bugs that the run has hit.
    pub bugs: u64,
    /// Those of them that the store did not have before.
    pub new_bugs: u64,
    /// Failures that the run has seen, of all bugs.
    pub hits: u64,
    /// How often the fuzzer died and was started again.
    pub restarts: u64,
    /// Seconds that were lost to these deaths.
    pub restart_seconds: f64,
    /// The bug that is being minimized.
    pub minimizing: Option<BugId>,
    /// What the next minute is likely to bring. `None` without coverage, and in the first seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_coverage: Option<NewCoverage>,
    /// The inputs that were rejected. `None` if the engine does not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Rejected>,
    /// Edges that libFuzzer has covered. `cargo dwindle` adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<u64>,
    /// Inputs in libFuzzer's corpus. `cargo dwindle` adds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corpus: Option<u64>,
}

/// Executions that ended early because their input is not wanted, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rejected {
    /// The target or a generator of the user rejected them.
    pub by_target: u64,
    /// A filter kept no value.
    pub by_filter: u64,
    /// A collection found no further distinct element.
    pub not_distinct: u64,
    /// A value contained others without an end.
    pub too_deep: u64,
    /// They needed more choices than the limit allows.
    pub too_long: u64,
}

impl Rejected {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.by_target + self.by_filter + self.not_distinct + self.too_deep + self.too_long
    }
}

/// How often new edges were covered, and an estimate for the next minute of fuzzing. Edges that are
/// covered within 50 milliseconds count once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewCoverage {
    /// How often new edges were covered in this run, after the fuzzer had read its corpus.
    pub times: u64,
    /// How often that is expected in the next minute.
    pub expected: f64,
    /// How likely it happens at all in the next minute, from 0 to 1.
    pub chance: f64,
}

/// What Jeffreys' prior adds to a count.
const PRIOR: f64 = 0.5;
/// If new edges came at most this number of times in the second half, earlier doublings of the time
/// count, too.
const FEW: u32 = 4;
/// At most this number of doublings of the time count.
const DOUBLINGS_MAX: u32 = 4;

impl NewCoverage {
    /// The estimate for the time `next` after `time` of fuzzing. New edges were covered `times`
    /// times. `times_after` says how often after a given time of fuzzing.
    ///
    /// The estimate assumes that the rate after t seconds is proportional to 1/t. So new edges come
    /// as often between 30 and 60 seconds as between 60 and 120 seconds. A run in which they
    /// came `n` times in the second half thus expects `n / ln 2 * ln(1 + next / time)` times.
    ///
    /// If they came a few times only, the rate itself is uncertain. The estimate gives it a
    /// gamma distribution, with Jeffreys' prior. The number of times then has a negative binomial
    /// distribution, and the chance is that of any number but 0. Then earlier doublings of the time
    /// are evidence, too: where nothing comes for several of them, less is expected. As the rate
    /// may fall faster, as many of the last doublings count as give the lowest mean.
    pub fn estimate(
        times: u64,
        times_after: impl Fn(Duration) -> f64,
        time: Duration,
        next: Duration,
    ) -> NewCoverage {
        let shape = |doublings: u32| times_after(time / (1 << doublings)) + PRIOR;
        let (mut lowest, mut of) = (shape(1), 1.0);
        if lowest <= f64::from(FEW) + PRIOR {
            for doublings in 2..=DOUBLINGS_MAX {
                let (shape, doublings) = (shape(doublings), f64::from(doublings));
                if shape / doublings < lowest / of {
                    (lowest, of) = (shape, doublings);
                }
            }
        }
        let ratio = (next.as_secs_f64() / time.as_secs_f64()).ln_1p() / LN_2 / of;
        NewCoverage { times, expected: lowest * ratio, chance: 1.0 - (1.0 + ratio).powf(-lowest) }
    }

    /// The words for people.
    pub fn words(&self) -> String {
        let chance = match (self.chance * 100.0).round() {
            percent if percent < 1.0 => "less than 1 %".to_owned(),
            percent if percent > 99.0 => "more than 99 %".to_owned(),
            percent => format!("{percent} %"),
        };
        format!("new coverage in the next minute: {chance} likely")
    }
}

/// Work with a known end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What is being done, for example `running`.
    pub phase: String,
    /// Items done.
    pub done: u64,
    /// All items of this phase.
    pub total: u64,
    /// Seconds since the command began.
    pub seconds: f64,
    /// Bugs found so far.
    #[serde(default)]
    pub bugs: u64,
}

/// How fast one input runs, as the minimizer runs candidates. Each figure is a median.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Runs in a second.
    pub candidates: f64,
    /// Processor time of a run.
    pub processor_microseconds: f64,
    /// Empty requests to a worker in a second.
    pub round_trips: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_never_say_that_something_is_certain() {
        for (chance, words) in [
            (0.0, "less than 1 % likely"),
            (0.004, "less than 1 % likely"),
            (0.006, "1 % likely"),
            (0.352, "35 % likely"),
            (0.994, "99 % likely"),
            (0.996, "more than 99 % likely"),
            (1.0, "more than 99 % likely"),
        ] {
            let estimate = NewCoverage { times: 0, expected: 0.0, chance };
            assert_eq!(estimate.words(), format!("new coverage in the next minute: {words}"));
        }
    }
}

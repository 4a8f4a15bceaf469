//! Health checks: whether a run is meaningful for a property.

use std::time::{Duration, Instant};

use dwindle_engine::TestCase;
use dwindle_engine::internals::codec::encode;
use dwindle_engine::internals::{Rejection, Trace};

use crate::execution::{Executor, InProcess, Run};
use crate::settings::{HealthCheck, Settings};

/// A health check that failed.
#[derive(Debug)]
pub(super) struct Unhealthy {
    pub(super) check: HealthCheck,
    /// The observation that made the check fail.
    pub(super) seen: String,
    /// What the user can do about it.
    pub(super) advice: &'static str,
}

const REJECTED_AT_FIRST: u64 = 500;
const REJECTED_EACH: u64 = 10;
const OVERRAN_AT_FIRST: u64 = 50;
const LOOK_AT_TIME_AFTER: Duration = Duration::from_secs(10);
const TIME_MAX: Duration = Duration::from_mins(1);
/// The clock is read for each of the first 64 cases, and then once every 64 cases.
const CLOCK_EVERY: u64 = 64;

/// The results of the cases so far.
pub(super) struct CaseCounts<'a> {
    settings: &'a Settings,
    began: Instant,
    pub(super) accepted: u64,
    rejected: u64,
    /// The cause of the last rejection, if it is known.
    rejected_by: Option<Rejection>,
    pub(super) overran: u64,
}

impl CaseCounts<'_> {
    pub(super) fn new(settings: &Settings) -> CaseCounts<'_> {
        CaseCounts {
            settings,
            began: Instant::now(),
            accepted: 0,
            rejected: 0,
            rejected_by: None,
            overran: 0,
        }
    }

    /// Counts a rejected case.
    pub(super) fn rejected(&mut self, by: Option<Rejection>) {
        self.rejected += 1;
        self.rejected_by = by;
    }

    /// Whether a check is enabled.
    pub(super) fn is_enabled(&self, check: HealthCheck) -> bool {
        !self.settings.suppressed.contains(&check)
    }

    /// The first health check that fails so far.
    #[inline]
    pub(super) fn judge(&self) -> Option<Unhealthy> {
        let runs = self.accepted + self.rejected + self.overran;
        if self.overran > self.accepted + OVERRAN_AT_FIRST && self.is_enabled(HealthCheck::TooLarge)
        {
            return Some(self.too_large());
        }
        if self.rejected > REJECTED_EACH * self.accepted + REJECTED_AT_FIRST
            && self.is_enabled(HealthCheck::FilterTooMuch)
        {
            return Some(self.too_many_rejections());
        }
        if runs < CLOCK_EVERY || runs.is_multiple_of(CLOCK_EVERY) {
            self.judge_time(self.began.elapsed())
        } else {
            None
        }
    }

    /// The health check that fails for the whole run.
    pub(super) fn judge_all(&self) -> Option<Unhealthy> {
        if self.accepted >= self.settings.max_cases {
            None
        } else if self.overran > self.rejected {
            self.is_enabled(HealthCheck::TooLarge).then(|| self.too_large())
        } else {
            self.is_enabled(HealthCheck::FilterTooMuch).then(|| self.too_many_rejections())
        }
    }

    #[cold]
    fn judge_time(&self, elapsed: Duration) -> Option<Unhealthy> {
        if elapsed < LOOK_AT_TIME_AFTER {
            return None;
        }
        let cases = self.settings.max_cases;
        let in_all = elapsed.as_secs_f64() * cases as f64 / self.accepted.max(1) as f64;
        let is_slow = in_all > TIME_MAX.as_secs_f64();
        (is_slow && self.is_enabled(HealthCheck::TooSlow)).then(|| Unhealthy {
            check: HealthCheck::TooSlow,
            seen: format!(
                "{} cases took {:.0} s, so all {cases} would take {:.0} minutes",
                self.accepted,
                elapsed.as_secs_f64(),
                (in_all / 60.0).ceil()
            ),
            advice: "Draw less (`.len(..10)` on collections), run fewer cases (`max_cases = 100`), \
                     or build the tests with optimization",
        })
    }

    #[cold]
    fn too_large(&self) -> Unhealthy {
        Unhealthy {
            check: HealthCheck::TooLarge,
            seen: format!(
                "{} cases asked for more than {} choices, {} did not",
                self.overran,
                self.settings.choices_max,
                self.accepted + self.rejected
            ),
            advice: "Bound what is drawn (`.len(..100)` on collections, loops that end), or allow \
                     more with `max_choices = ..`",
        }
    }

    #[cold]
    fn too_many_rejections(&self) -> Unhealthy {
        // If the target itself rejected the case, the advice is already complete.
        let last = self
            .rejected_by
            .filter(|by| *by != Rejection::Target)
            .map_or_else(String::new, |by| format!("; the last of them: {by}"));
        Unhealthy {
            check: HealthCheck::FilterTooMuch,
            seen: format!(
                "{} cases were rejected, {} were accepted{last}",
                self.rejected, self.accepted
            ),
            advice: "Draw only values that fit: use a narrower range, or `map` and `flat_map` in \
                     place of `filter` and `assume`",
        }
    }
}

/// Runs a case that passed again. Returns what differs, if its second run differs from `trace`.
///
/// Values are compared by the characters of their `Debug` output, in any order. Sets and maps of
/// the standard library print in another order each time.
pub(super) fn flakiness<P: FnMut(&mut TestCase)>(
    executor: &mut InProcess<P>,
    trace: &Trace,
) -> Option<Unhealthy> {
    let input = encode(&trace.choices);
    let mut runs: Vec<Vec<String>> = Vec::new();
    for _ in 0..2 {
        let mut again = Trace::default();
        let (run, transcript) = executor.run_with_transcript(&input, &mut again);
        match run {
            Run::Passed => {}
            Run::Failed(failed) => {
                return Some(flaky(format!(
                    "a case passed, but its second run failed at {}: {}",
                    failed.location, failed.message
                )));
            }
            Run::Misused(misuse) => {
                return Some(flaky(format!(
                    "a case passed, but its second run ended with: {misuse}"
                )));
            }
            Run::Rejected => {
                return Some(flaky("a case passed, but its second run was rejected".to_owned()));
            }
            Run::Overrun => {
                return Some(flaky(
                    "a case passed, but its second run asked for too many choices".to_owned(),
                ));
            }
        }
        if let Some(at) = (0..trace.len().max(again.len()))
            .find(|at| trace.choices.get(*at) != again.choices.get(*at))
        {
            return Some(flaky(format!(
                "a second run of a case on the same choices made other choices from choice {} on",
                at + 1
            )));
        }
        runs.push(transcript.draws());
    }
    let [first, second] = &runs[..] else { return None };
    let differing =
        first.iter().zip(second).find(|(first, second)| characters(first) != characters(second));
    differing.map(|(first, second)| {
        flaky(format!(
            "a second run of a case on the same choices drew {second} in place of {first}"
        ))
    })
}

fn flaky(seen: String) -> Unhealthy {
    Unhealthy {
        check: HealthCheck::Flaky,
        seen,
        advice: "The values and the result of a case must depend only on its choices, not on \
                 `static` or captured state, time, threads, addresses or other random numbers",
    }
}

fn characters(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.sort_unstable();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(settings: &Settings, accepted: u64, rejected: u64, overran: u64) -> CaseCounts<'_> {
        CaseCounts { accepted, rejected, overran, ..CaseCounts::new(settings) }
    }

    #[test]
    fn slowness_is_judged_for_all_cases_together() {
        let settings = Settings::default().max_cases(1000);
        let slow = |accepted, seconds| {
            tally(&settings, accepted, 0, 0)
                .judge_time(Duration::from_secs(seconds))
                .map(|found| found.seen)
        };
        assert_eq!(
            slow(100, 11).as_deref(),
            Some("100 cases took 11 s, so all 1000 would take 2 minutes")
        );
        assert_eq!((slow(1, 9), slow(900, 50)), (None, None));
        let settings = settings.suppress_health_check(HealthCheck::TooSlow);
        assert!(tally(&settings, 1, 0, 0).judge_time(Duration::from_mins(10)).is_none());
    }

    #[test]
    fn a_check_that_is_suppressed_is_not_made() {
        let settings = Settings::default();
        let found = |settings: &Settings| {
            (
                tally(settings, 1, 600, 0).judge().map(|found| found.check),
                tally(settings, 1, 0, 60).judge().map(|found| found.check),
            )
        };
        assert_eq!(
            found(&settings),
            (Some(HealthCheck::FilterTooMuch), Some(HealthCheck::TooLarge))
        );
        let settings = settings
            .suppress_health_check(HealthCheck::FilterTooMuch)
            .suppress_health_check(HealthCheck::TooLarge);
        assert_eq!(found(&settings), (None, None));
        assert!(
            tally(&settings, 1, 600, 0).judge_all().is_none()
                && tally(&settings, 1, 0, 60).judge_all().is_none()
        );
    }

    #[test]
    fn half_the_cases_may_be_large_and_most_may_be_rejected() {
        let settings = Settings::default();
        assert!(
            tally(&settings, 100, 0, 150).judge().is_none()
                && tally(&settings, 100, 0, 151).judge().is_some()
        );
        assert!(
            tally(&settings, 10, 600, 0).judge().is_none()
                && tally(&settings, 10, 601, 0).judge().is_some()
        );
    }
}

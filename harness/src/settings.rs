//! How [`check`](crate::check) runs a property.

use std::path::PathBuf;
use std::time::Duration;

use dwindle_engine::internals::shrink::AROUND;
use dwindle_engine::internals::{CHOICES_MAX, Explorer};

use crate::environment;

/// The number of cases, the seed, the limits, and the place where failures are kept.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) name: Option<String>,
    /// `None` if no seed was given.
    pub(crate) seed: Option<u64>,
    pub(crate) max_cases: u64,
    pub(crate) choices_max: usize,
    pub(crate) calls_max: u64,
    pub(crate) exhaust_max: u64,
    pub(crate) time_max: Duration,
    pub(crate) store: Option<PathBuf>,
    pub(crate) suppressed: Vec<HealthCheck>,
    pub(crate) explains: bool,
}

/// 1,000 cases from seed 0, and 100,000 calls or 10 seconds for the shrink. Of these, 40,000 calls
/// or half a second search around the result. The store is in `$DWINDLE_STORE`, or in `crashes/` of
/// the current directory.
impl Default for Settings {
    fn default() -> Settings {
        let store = std::env::var_os(environment::STORE)
            .map_or_else(|| PathBuf::from("crashes"), PathBuf::from);
        Settings {
            name: None,
            seed: None,
            max_cases: 1000,
            choices_max: CHOICES_MAX,
            calls_max: 100_000,
            exhaust_max: AROUND,
            time_max: Duration::from_secs(10),
            store: Some(store),
            suppressed: Vec::new(),
            explains: true,
        }
    }
}

impl Settings {
    /// The name of the property in the store. By default it is the name of the thread, which under
    /// `cargo test` is the name of the test.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Settings {
        Settings { name: Some(name.into()), ..self }
    }

    /// The seed of the random cases. The same seed gives the same run.
    #[must_use]
    pub fn seed(self, seed: u64) -> Settings {
        Settings { seed: Some(seed), ..self }
    }

    /// Number of random cases to run. Rejected cases do not count. The search ends after ten times
    /// as many runs in total. If the property rejects at least half of the cases, later cases are
    /// often like those that it accepted. At least a quarter of the later cases stays new.
    #[must_use]
    pub fn max_cases(self, max_cases: u64) -> Settings {
        Settings { max_cases, ..self }
    }

    /// Maximum choices of one case.
    #[must_use]
    pub fn max_choices(self, choices_max: usize) -> Settings {
        Settings { choices_max, ..self }
    }

    /// The maximum cost of the shrink: executions of the property, and time.
    #[must_use]
    pub fn budget(self, calls_max: u64, time_max: Duration) -> Settings {
        Settings { calls_max, time_max, ..self }
    }

    /// Maximum executions that search around the result, once no shrink pass improves it. Such a
    /// search finds simpler failures that the passes miss. It takes at most half a second of
    /// processor time. The default is 40,000; with 0 there is no such search. The minimizer of a
    /// fuzz target gets 10,000.
    #[must_use]
    pub fn exhaust(self, calls_max: u64) -> Settings {
        Settings { exhaust_max: calls_max, ..self }
    }

    /// The folder that holds a folder for each property with its bugs. `None` keeps nothing and
    /// replays nothing.
    #[must_use]
    pub fn store(self, store: Option<PathBuf>) -> Settings {
        Settings { store, ..self }
    }

    /// Whether [`#[dwindle::test]`](macro@crate::test) explains a failure: which of its values may
    /// vary, and a near input that passes. An explanation takes at most 2,000 runs and two seconds.
    /// The default is `true`; the environment variable `DWINDLE_EXPLAIN=off` switches explanations
    /// off everywhere. [`check`](crate::check) explains nothing.
    #[must_use]
    pub fn explain(self, explains: bool) -> Settings {
        Settings { explains, ..self }
    }

    /// Disables a health check of [`#[dwindle::test]`](macro@crate::test). [`check`](crate::check)
    /// has no health checks.
    #[must_use]
    pub fn suppress_health_check(mut self, check: HealthCheck) -> Settings {
        self.suppressed.push(check);
        self
    }

    /// The random cases of a run from this seed. The explorer only collects scores in the first
    /// tenth of them. Then scores guide the cases ([`TestCase::target`](crate::TestCase::target)).
    /// Rejections guide them from the beginning.
    pub(crate) fn explorer(&self, seed: u64) -> Explorer {
        Explorer::new(seed, self.max_cases / 10)
    }
}

/// The checks that a test of a property makes besides the property itself. A failing check fails
/// the test, with the reason and the remedy. [`Settings::suppress_health_check`], or
/// `#[dwindle::test(suppress_health_check = [TooSlow])]`, disables a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HealthCheck {
    /// The property accepts too few cases. Either it rejects more than ten cases for each accepted
    /// one, with 500 more allowed at the beginning. Or ten times as many runs as wanted cases do
    /// not give enough accepted cases. Cases that were made like accepted ones count too.
    FilterTooMuch,
    /// More than ten seconds have passed, and all cases would take more than a minute.
    TooSlow,
    /// Too many cases ask for more choices than the maximum: more cases than the property accepts,
    /// with 50 more allowed at the beginning.
    TooLarge,
    /// A case that passed runs again on the same choices. It then draws other values, or does not
    /// pass. The check runs for the first passing case, the second, the fourth, the eighth and so
    /// on.
    Flaky,
}

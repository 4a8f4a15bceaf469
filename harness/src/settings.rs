//! How [`check`](crate::check) runs a property.

use std::path::PathBuf;
use std::time::Duration;

use dwindle_engine::shrink::CAPPED;
use dwindle_engine::{CHOICES_MAX, Explorer};

use crate::environment;

/// How many cases to run, from which seed, and where failures are kept.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) name: Option<String>,
    /// None if nobody gave one.
    pub(crate) seed: Option<u64>,
    pub(crate) max_cases: u64,
    pub(crate) choices_max: usize,
    pub(crate) calls_max: u64,
    pub(crate) exhaust_max: u64,
    pub(crate) time_max: Duration,
    pub(crate) store: Option<PathBuf>,
    pub(crate) suppressed: Vec<HealthCheck>,
}

/// 1,000 cases from seed 0, 100,000 calls or 10 seconds for the shrink, 24 calls in a row to exhaust, and the store in `$DWINDLE_STORE` or `crashes/` of the current directory.
impl Default for Settings {
    fn default() -> Settings {
        let store = std::env::var_os(environment::STORE).map_or_else(|| PathBuf::from("crashes"), PathBuf::from);
        Settings {
            name: None,
            seed: None,
            max_cases: 1000,
            choices_max: CHOICES_MAX,
            calls_max: 100_000,
            exhaust_max: CAPPED,
            time_max: Duration::from_secs(10),
            store: Some(store),
            suppressed: Vec::new(),
        }
    }
}

impl Settings {
    /// The name of the property in the store; the name of the thread unless given, which under `cargo test` is that of the test.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Settings {
        Settings { name: Some(name.into()), ..self }
    }

    /// Where the random cases begin. One seed gives one run.
    #[must_use]
    pub fn seed(self, seed: u64) -> Settings {
        Settings { seed: Some(seed), ..self }
    }

    /// How many random cases to run. Rejected cases do not count; ten times as many runs in all end the search.
    #[must_use]
    pub fn max_cases(self, max_cases: u64) -> Settings {
        Settings { max_cases, ..self }
    }

    /// How many choices one case may make.
    #[must_use]
    pub fn max_choices(self, choices_max: usize) -> Settings {
        Settings { choices_max, ..self }
    }

    /// How long the shrink may take: in executions of the property and in time.
    #[must_use]
    pub fn budget(self, calls_max: u64, time_max: Duration) -> Settings {
        Settings { calls_max, time_max, ..self }
    }

    /// How many executions in a row, once no shrink pass improves anything, may try what is smaller and close by. More of them find the minimum of some failures
    /// that the default misses: 2,000 is what a fuzz target gets.
    #[must_use]
    pub fn exhaust(self, calls_max: u64) -> Settings {
        Settings { exhaust_max: calls_max, ..self }
    }

    /// The folder that holds a folder for each property with its bugs; `None` to keep nothing and replay nothing.
    #[must_use]
    pub fn store(self, store: Option<PathBuf>) -> Settings {
        Settings { store, ..self }
    }

    /// Does without a health check of [`#[dwindle::test]`](macro@crate::test). [`check`](crate::check) makes none.
    #[must_use]
    pub fn suppress(mut self, check: HealthCheck) -> Settings {
        self.suppressed.push(check);
        self
    }

    /// The random cases of a run from this seed: a tenth of them are all new, then scores lead ([`TestCase::target`](crate::TestCase::target)).
    pub(crate) fn explorer(&self, seed: u64) -> Explorer {
        Explorer::new(seed, self.max_cases / 10)
    }
}

/// What is looked at in a test of a property besides its failures. Each fails the test, with the reason and what to do; [`Settings::suppress`], or
/// `#[dwindle::test(suppress = [TooSlow])]`, does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HealthCheck {
    /// Of the cases drawn so many are rejected that too few are left: more than ten, and 500 at the beginning, for each that is accepted; or as many as wanted
    /// are not reached in ten times as many runs.
    TooManyRejections,
    /// More than ten seconds are gone, and all cases would take more than a minute.
    TooSlow,
    /// Of the cases more than half, and 50 at the beginning, ask for more choices than they may make.
    TooLarge,
    /// A case that passed is run again on the same choices, and draws other values, or does not pass. Tried for the first case that passes, the second, the
    /// fourth, the eighth and so on.
    Flaky,
}

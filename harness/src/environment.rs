//! The environment variables that the target binary reads or sets.
//!
//! Users and `cargo dwindle` set the first group. The second group is for dwindle's own processes:
//! a parent sets them for its child. Two kinds have no constant here: `DWINDLE` and
//! `DWINDLE_DEFAULT`, which choose the passthrough, and the variables of AFL++ (`fuzzers::afl`).

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::OnceLock;

use dwindle_engine::internals::CHOICES_MAX as CHOICES_MAX_DEFAULT;

/// What the process does instead of fuzzing, see [`Mode`].
pub(crate) const MODE: &str = "DWINDLE_MODE";
/// The folder that holds one folder for each target.
pub(crate) const STORE: &str = "DWINDLE_STORE";
/// `first`: the run ends at the first new bug.
pub(crate) const STOP: &str = "DWINDLE_STOP";
/// The socket of a program that reads events.
pub(crate) const EVENTS: &str = "DWINDLE_EVENTS";
/// Switches that are off, separated by commas.
pub(crate) const WITHOUT: &str = "DWINDLE_WITHOUT";
/// Maximum executions of one minimization.
pub(crate) const BUDGET_CALLS: &str = "DWINDLE_BUDGET_CALLS";
/// Maximum seconds of one minimization.
pub(crate) const BUDGET_SECONDS: &str = "DWINDLE_BUDGET_SECONDS";
/// Maximum choices of one execution.
pub(crate) const CHOICES_MAX: &str = "DWINDLE_CHOICES_MAX";
/// Number of workers that triage uses.
pub(crate) const JOBS: &str = "DWINDLE_JOBS";
/// `1`: inputs that the store knows run again.
pub(crate) const AGAIN: &str = "DWINDLE_AGAIN";
/// `1`: nothing is written.
pub(crate) const DRY_RUN: &str = "DWINDLE_DRY_RUN";
/// Number of random cases of a property.
pub(crate) const CASES: &str = "DWINDLE_CASES";
/// `off`: minimized failures are not explained.
pub(crate) const EXPLAIN: &str = "DWINDLE_EXPLAIN";
/// Seed of the random cases of a property.
pub(crate) const SEED: &str = "DWINDLE_SEED";

/// The bug that a minimizer process works on.
pub(crate) const BUG: &str = "DWINDLE_BUG";
/// `1`: a minimizer process lowers its priority.
pub(crate) const LOW_PRIORITY: &str = "DWINDLE_LOW_PRIORITY";
/// Memory limit of a run in MiB, from the process that started this one.
pub(crate) const MEMORY_MAX: &str = "DWINDLE_MEMORY_MAX";
/// Time limit of a run in seconds, from the process that started this one.
pub(crate) const TIMEOUT_MAX: &str = "DWINDLE_TIMEOUT_MAX";
/// Set in the child that writes the draws of a file.
pub(crate) const DESCRIBE: &str = "DWINDLE_DESCRIBE";
/// The inherited descriptor in which a new process records how its input ends.
pub(crate) const RECORD: &str = "DWINDLE_RECORD";
/// The inherited socket through which afl-fuzz asks for mutants.
#[cfg(feature = "afl")]
pub(crate) const MUTANTS: &str = "DWINDLE_MUTANTS";
/// Tells a process that it is one of several fuzzers.
pub(crate) const MEMBER: &str = "DWINDLE_MEMBER";
/// The file to which one of several fuzzers writes the error that ends it.
pub(crate) const ERRORS: &str = "DWINDLE_ERRORS";
/// cargo-fuzz sets it for `cargo fuzz fmt`: the file for the draws.
pub(crate) const DEBUG_PATH: &str = "RUST_LIBFUZZER_DEBUG_PATH";

/// Variables that a process does not have when a user types its command.
pub(crate) const NOT_FROM_A_USER: [&str; 11] =
    [MODE, STORE, BUG, MEMORY_MAX, TIMEOUT_MAX, EVENTS, DESCRIBE, STOP, DEBUG_PATH, MEMBER, ERRORS];

/// What the process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Fuzz.
    Fuzz,
    /// The random engine.
    Random,
    /// Something else than looking for bugs.
    Command(Command),
}

/// What the target binary does besides looking for bugs, see `commands`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Minimize the given files.
    Min,
    /// Run many files, group those that fail, and minimize one of each group.
    Triage,
    /// Show the draws of one file.
    Show,
    /// Replay the bugs of the store.
    Check,
    /// Run one file repeatedly as a candidate and print the rate.
    Rate,
    /// Run inputs or random cases and write an observation of each.
    Observe,
    /// Process what an AFL++ campaign finds.
    Watch,
    /// Minimize one bug of the store for the process that started this one.
    Minimizer,
    /// Look for failures of known bugs that have another cause.
    Next,
    /// Explain one bug of the store for the process that started this one.
    Explainer,
    /// Answer questions about bugs of the store.
    Explore,
}

/// Reads [`MODE`].
pub(crate) fn mode() -> Result<Mode, String> {
    match std::env::var(MODE).as_deref() {
        Err(_) | Ok("") => Ok(Mode::Fuzz),
        Ok("random") => Ok(Mode::Random),
        Ok("min") => Ok(Mode::Command(Command::Min)),
        Ok("triage") => Ok(Mode::Command(Command::Triage)),
        Ok("show") => Ok(Mode::Command(Command::Show)),
        Ok("check") => Ok(Mode::Command(Command::Check)),
        Ok("rate") => Ok(Mode::Command(Command::Rate)),
        Ok("observe") => Ok(Mode::Command(Command::Observe)),
        Ok("watch") => Ok(Mode::Command(Command::Watch)),
        Ok("minimizer") => Ok(Mode::Command(Command::Minimizer)),
        Ok("next") => Ok(Mode::Command(Command::Next)),
        Ok("explore") => Ok(Mode::Command(Command::Explore)),
        Ok("explainer") => Ok(Mode::Command(Command::Explainer)),
        Ok(other) => Err(format!(
            "{MODE}={other} is not a mode; leave it unset to fuzz, or use random, min, triage, \
             show or check"
        )),
    }
}

/// `DWINDLE=off`: passthrough. Under libFuzzer a constructor reads it before main, see
/// `fuzzers::libfuzzer::passthrough`.
#[cfg(not(feature = "libfuzzer"))]
pub(crate) fn is_off() -> bool {
    std::env::var_os("DWINDLE").is_some_and(|value| value == "off")
}

/// The socket through which afl-fuzz asks for mutants, see [`MUTANTS`].
#[cfg(feature = "afl")]
pub(crate) fn mutants() -> Option<std::os::fd::RawFd> {
    std::env::var(MUTANTS).ok()?.parse().ok()
}

/// Whether this process is one of several fuzzers. The process that started it keeps the session
/// and speaks for it. See [`MEMBER`].
pub(crate) fn is_member() -> bool {
    std::env::var_os(MEMBER).is_some()
}

/// Reads [`STOP`].
pub(crate) fn stop_at_first() -> bool {
    std::env::var_os(STOP).is_some_and(|value| value == "first")
}

/// Reads [`EXPLAIN`].
pub(crate) fn explains() -> bool {
    std::env::var_os(EXPLAIN).is_none_or(|value| value != "off")
}

/// Reads [`LOW_PRIORITY`].
pub(crate) fn has_low_priority() -> bool {
    std::env::var_os(LOW_PRIORITY).is_some_and(|value| value == "1")
}

/// Reads [`STORE`].
pub(crate) fn store() -> Option<PathBuf> {
    std::env::var_os(STORE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Reads [`JOBS`]. Default: the number of cores.
pub(crate) fn jobs() -> Result<usize, String> {
    match number(JOBS)? {
        Some(jobs) if jobs < 1.0 => Err(format!("{JOBS}=0 is not a number of 1 or more")),
        Some(jobs) => Ok(jobs as usize),
        None => Ok(std::thread::available_parallelism().map_or(1, NonZeroUsize::get)),
    }
}

/// Reads [`AGAIN`].
pub(crate) fn again() -> bool {
    is_on(AGAIN)
}

/// Reads [`DRY_RUN`].
pub(crate) fn dry_run() -> bool {
    is_on(DRY_RUN)
}

/// Reads [`CHOICES_MAX`]. A wrong value is refused where the limits are read.
pub(crate) fn choices_max() -> usize {
    static ONCE: OnceLock<usize> = OnceLock::new();
    *ONCE.get_or_init(|| {
        number(CHOICES_MAX).ok().flatten().map_or(CHOICES_MAX_DEFAULT, |choices| choices as usize)
    })
}

/// The number that a variable holds; `None` if it is unset.
pub(crate) fn number(name: &str) -> Result<Option<f64>, String> {
    match std::env::var(name) {
        Err(_) => Ok(None),
        Ok(text) => match text.parse::<f64>() {
            Ok(number) if (0.0..=1e9).contains(&number) => Ok(Some(number)),
            _ => Err(format!("{name}={text} is not a number of 0 or more")),
        },
    }
}

/// The number that a variable holds, if it is at least 1.
pub(crate) fn positive(name: &str) -> Option<u64> {
    number(name).ok().flatten().map(|number| number as u64).filter(|number| *number > 0)
}

/// Whether AFL++ gives this variable to its target.
#[cfg(any(test, feature = "afl"))]
pub(crate) fn is_of_afl(name: &str) -> bool {
    name.trim_start_matches('_').starts_with("AFL_") || name == "LD_BIND_NOW"
}

fn is_on(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_afl_are_distinguished_from_others() {
        for name in ["AFL_MAP_SIZE", "__AFL_SHM_ID", "___AFL_EINS_ZWEI_POLIZEI___"] {
            assert!(is_of_afl(name), "{name}");
        }
        for name in ["PATH", "DWINDLE_STORE", "RAFL_", "AFLOAT"] {
            assert!(!is_of_afl(name), "{name}");
        }
    }
}

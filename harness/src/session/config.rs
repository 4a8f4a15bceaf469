//! What the environment asks for.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use dwindle_engine::CHOICES_MAX;

use crate::minimize::Limits;
use crate::switches;

/// What the process is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Fuzz, as the engine does.
    Fuzz,
    /// The random engine.
    Random,
    /// Minimize the files given.
    Min,
    /// Run many files, group those that fail, and minimize one of each group.
    Triage,
    /// Show the draws of one file.
    Show,
    /// Replay the bugs of the store.
    Check,
    /// Run one file again and again as a candidate, and say how often that goes in a second.
    Rate,
    /// Take up what a campaign of AFL++ finds.
    Watch,
    /// Minimize one bug of the store for the process that started this one.
    Minimizer,
}

/// `DWINDLE_MODE`, see the variants of [`Mode`]. Every process asks this first, so it also refuses a wrong `DWINDLE_WITHOUT`.
pub(crate) fn mode() -> Result<Mode, String> {
    switches::check()?;
    match std::env::var("DWINDLE_MODE").as_deref() {
        Err(_) | Ok("") => Ok(Mode::Fuzz),
        Ok("random") => Ok(Mode::Random),
        Ok("min") => Ok(Mode::Min),
        Ok("triage") => Ok(Mode::Triage),
        Ok("show") => Ok(Mode::Show),
        Ok("check") => Ok(Mode::Check),
        Ok("rate") => Ok(Mode::Rate),
        Ok("watch") => Ok(Mode::Watch),
        Ok("minimizer") => Ok(Mode::Minimizer),
        Ok(other) => Err(format!("DWINDLE_MODE={other} is not a mode; leave it unset to fuzz, or use random, min, triage, show or check")),
    }
}

/// `DWINDLE=off`: step aside completely. Under libFuzzer a constructor decides that, see `engines::libfuzzer::aside`.
#[cfg(not(feature = "libfuzzer"))]
pub(crate) fn is_off() -> bool {
    std::env::var_os("DWINDLE").is_some_and(|value| value == "off")
}

/// `DWINDLE_STOP=first`: end at the first new bug.
pub(crate) fn stop_at_first() -> bool {
    std::env::var_os("DWINDLE_STOP").is_some_and(|value| value == "first")
}

/// `DWINDLE_STORE`: the folder that holds a folder for each target.
pub(crate) fn store() -> Option<PathBuf> {
    std::env::var_os("DWINDLE_STORE").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// `DWINDLE_BUDGET_CALLS` and `DWINDLE_BUDGET_SECONDS`.
pub(crate) fn limits() -> Result<Limits, String> {
    let mut limits = Limits::default();
    if let Some(calls) = number("DWINDLE_BUDGET_CALLS")? {
        limits.calls_max = calls as u64;
    }
    if let Some(seconds) = number("DWINDLE_BUDGET_SECONDS")? {
        limits.time_max = Duration::from_secs_f64(seconds);
        limits.wall_max = limits.time_max;
    }
    number("DWINDLE_CHOICES_MAX")?;
    Ok(limits)
}

/// `DWINDLE_JOBS`: how many workers run at once; one for each core unless told otherwise.
pub(crate) fn jobs() -> Result<usize, String> {
    match number("DWINDLE_JOBS")? {
        Some(jobs) if jobs < 1.0 => Err("DWINDLE_JOBS=0 lets nothing run; name a number of 1 or more".to_owned()),
        Some(jobs) => Ok(jobs as usize),
        None => Ok(std::thread::available_parallelism().map_or(1, NonZeroUsize::get)),
    }
}

/// `DWINDLE_AGAIN=1`: what is recorded in the store is run all the same.
pub(crate) fn again() -> bool {
    is_set("DWINDLE_AGAIN")
}

/// `DWINDLE_DRY_RUN=1`: nothing is written.
pub(crate) fn dry_run() -> bool {
    is_set("DWINDLE_DRY_RUN")
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}

/// `DWINDLE_CHOICES_MAX`: how many choices one execution may make.
pub(crate) fn choices_max() -> usize {
    static ONCE: OnceLock<usize> = OnceLock::new();
    // A value that is none is refused where the limits are read.
    *ONCE.get_or_init(|| number("DWINDLE_CHOICES_MAX").ok().flatten().map_or(CHOICES_MAX, |choices| choices as usize))
}

/// What a run may take of memory unless told otherwise, in MiB, as libFuzzer has it.
pub(crate) const MEMORY_MAX: u64 = 2048;
static MEMORY_LIMIT: OnceLock<u64> = OnceLock::new();

/// Sets how much memory a run of the target may take, in MiB; 0 says nothing. The first to say something is heard.
#[cfg(feature = "libfuzzer")]
pub(crate) fn limit_memory(megabytes: u64) {
    if megabytes > 0 {
        let _ = MEMORY_LIMIT.set(megabytes);
    }
}

/// How much memory a run of the target may take, in MiB: as was set, else as the process that started this one says in `DWINDLE_MEMORY_MAX`.
pub(crate) fn memory_max() -> u64 {
    let told = || number("DWINDLE_MEMORY_MAX").ok().flatten().map(|megabytes| megabytes as u64).filter(|megabytes| *megabytes > 0);
    MEMORY_LIMIT.get().copied().or_else(told).unwrap_or(MEMORY_MAX)
}

/// Seconds after which the command that a report prints ends a run that hangs.
///
/// Workers call a run hanging after [`HANGS_AFTER`] times as much processor time, so that a faster machine does not turn it.
const TIMEOUT_SHOWN: u32 = 2;
/// The margin of the above.
const HANGS_AFTER: f64 = 1.5;
static TIMEOUT_LIMIT: OnceLock<u32> = OnceLock::new();

/// Sets how many seconds a run may take; 0 says nothing. The first to say something is heard.
#[cfg(feature = "libfuzzer")]
pub(crate) fn limit_time(seconds: u32) {
    if seconds > 0 {
        let _ = TIMEOUT_LIMIT.set(seconds);
    }
}

/// The `-timeout=` that a report prints: as the run was given, if that is less than [`TIMEOUT_SHOWN`].
pub(crate) fn timeout_shown() -> u32 {
    let told = || number("DWINDLE_TIMEOUT_MAX").ok().flatten().map(|seconds| seconds as u32).filter(|seconds| *seconds > 0);
    TIMEOUT_LIMIT.get().copied().or_else(told).unwrap_or(TIMEOUT_SHOWN).min(TIMEOUT_SHOWN)
}

/// Processor time after which a run that is expected to hang does.
pub(crate) fn hangs_after() -> Duration {
    Duration::from_secs(timeout_shown().into()).mul_f64(HANGS_AFTER)
}

fn number(name: &str) -> Result<Option<f64>, String> {
    match std::env::var(name) {
        Err(_) => Ok(None),
        Ok(text) => match text.parse::<f64>() {
            Ok(number) if (0.0..=1e9).contains(&number) => Ok(Some(number)),
            _ => Err(format!("{name}={text} is not a number of 0 or more")),
        },
    }
}

//! After how much time a run of the target counts as a hang. `run` has the limits of candidates.

use std::sync::OnceLock;
use std::time::Duration;

use crate::environment;

/// The longest time limit in seconds that a report's command has.
///
/// A worker calls a run a hang only after [`MARGIN`] times as much processor time, so that the
/// command fails on a faster machine too.
const TIMEOUT_SHOWN: u32 = 2;
/// See [`TIMEOUT_SHOWN`].
const MARGIN: f64 = 1.5;
static TIMEOUT_LIMIT: OnceLock<u32> = OnceLock::new();

/// Sets the limit in seconds. 0 changes nothing, and so does every call after the first.
#[cfg(feature = "libfuzzer")]
pub(crate) fn limit_time(seconds: u32) {
    if seconds > 0 {
        let _ = TIMEOUT_LIMIT.set(seconds);
    }
}

/// The `-timeout=` of a report's command: the limit of this run, at most [`TIMEOUT_SHOWN`].
pub(crate) fn timeout_shown() -> u32 {
    let inherited =
        || environment::positive(environment::TIMEOUT_MAX).map(|seconds| seconds as u32);
    TIMEOUT_LIMIT.get().copied().or_else(inherited).unwrap_or(TIMEOUT_SHOWN).min(TIMEOUT_SHOWN)
}

/// The processor time after which a run counts as a hang, where one is expected.
pub(crate) fn hangs_after() -> Duration {
    Duration::from_secs(timeout_shown().into()).mul_f64(MARGIN)
}

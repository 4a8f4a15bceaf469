//! How much memory a run of the target may take. Candidates may get less (`run`).

use std::sync::OnceLock;

use crate::environment;

/// The default in MiB, the same as libFuzzer's.
pub(crate) const MEMORY_MAX: u64 = 2048;
static MEMORY_LIMIT: OnceLock<u64> = OnceLock::new();

/// Sets the limit in MiB. 0 changes nothing, and so does every call after the first.
pub(crate) fn limit_memory(megabytes: u64) {
    if megabytes > 0 {
        let _ = MEMORY_LIMIT.set(megabytes);
    }
}

/// The limit in MiB: the one that was set, else the one from the process that started this one,
/// else [`MEMORY_MAX`].
pub(crate) fn memory_max() -> u64 {
    MEMORY_LIMIT
        .get()
        .copied()
        .or_else(|| environment::positive(environment::MEMORY_MAX))
        .unwrap_or(MEMORY_MAX)
}
